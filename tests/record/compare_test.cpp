// SPDX-License-Identifier: MIT

#include "bracket/record/compare.hpp"

#include <bit>
#include <cmath>
#include <functional>

#include "record/trace_bytes.hpp"
#include "support/catch.hpp"

namespace compare_test {

using namespace bracket::testing;
using bracket::record::Cause;
using bracket::record::compare;
using bracket::record::Comparison;
using bracket::record::Trace;
using Catch::Contains;
using Calls = std::vector<Written>;

namespace {

/// A run of 3 ranks that all-reduce the numbers 10 k + rank in call k at site k mod 2.
struct Run {
  explicit Run(std::size_t calls = 6, int ranks = 3) {
    for (int rank = 0; rank < ranks; ++rank) {
      of.emplace_back();
      for (std::size_t k = 0; k < calls; ++k) {
        const double first = 10 * static_cast<double>(k) + rank;
        const double sum = 30 * static_cast<double>(k) + 3;
        of.back().push_back({.sequence = k,
                             .input = {first, 1},
                             .output = {sum, 3},
                             .site = static_cast<std::uint32_t>(k % 2)});
      }
    }
  }

  /// Numbers the calls of each rank anew, as a recorder does.
  void number() {
    for (auto& calls : of) {
      for (std::size_t k = 0; k < calls.size(); ++k) calls[k].sequence = k;
    }
  }

  /// A run whose ranks ended so.
  [[nodiscard]] Trace trace(const std::vector<format::end>& ends) const {
    Trace trace = this->trace();
    for (std::size_t rank = 0; rank < ends.size(); ++rank) {
      trace.ranks[rank].end = static_cast<bracket::record::End>(ends[rank]);
    }
    return trace;
  }

  [[nodiscard]] Trace trace(int cut = -1, std::uint32_t keep = 64) const {
    Trace trace;
    const int ranks = static_cast<int>(of.size());
    for (int rank = 0; rank < ranks; ++rank) {
      TraceBytes file(rank, ranks, keep);
      file.communicator({{1, 1}, {0, 1}});
      for (const auto& call : of[static_cast<std::size_t>(rank)]) file.reduction(call);
      if (rank != cut) file.end();
      trace.ranks.push_back(file.parsed());
    }
    return trace;
  }

  std::vector<Calls> of;
};

Comparison compared(const Run& a, const Run& b) { return compare(a.trace(), b.trace()); }

double after(double number) { return std::nextafter(number, INFINITY); }

}  // namespace

TEST_CASE("equal runs do not diverge") {
  const auto result = compared(Run(), Run());
  CHECK(result.calls == 6);
  CHECK(result.divergences.empty());
  CHECK(result.notes.empty());
  CHECK(compared(Run(0), Run(0)).calls == 0);
}

TEST_CASE("another input of a rank is found with its item and ulps") {
  Run b;
  b.of[2][3].input[1] = after(after(1));
  const auto result = compared(Run(), b);
  REQUIRE(result.divergences.size() == 1);
  const auto& first = result.divergences[0];
  CHECK(first.cause == Cause::inputs);
  CHECK(first.call == 3);
  CHECK(first.rank == 2);
  CHECK(first.item == 1u);
  CHECK(first.ulps == 2u);
  CHECK(first.input_ulps == 2u);
  CHECK(first.operation == "MPI_Allreduce of 2 MPI_DOUBLE by MPI_SUM");
  CHECK(first.first == "0x1p+0");
  CHECK(first.second == "0x1.0000000000002p+0");
}

TEST_CASE("equal inputs with other outputs are another order") {
  Run b;
  for (auto& rank : b.of) {
    rank[4].output[0] = after(rank[4].output[0]);
    rank[5].input[0] += 1;
  }
  const auto result = compared(Run(), b);
  REQUIRE(result.divergences.size() == 2);
  CHECK(result.divergences[0].cause == Cause::order);
  CHECK(result.divergences[0].call == 4);
  CHECK(result.divergences[0].output_ulps == 1u);
  CHECK_THAT(result.divergences[0].what, Contains("in another order"));
  CHECK(result.divergences[1].cause == Cause::inputs);
}

TEST_CASE("an order explains other outputs only where it matters") {
  using bracket::record::Element;
  struct Case {
    int ranks;
    const char* op;
    Element element;
    double other;
    bool matters;
  };
  const double nan = NAN;
  for (const Case& one : {Case{3, "MPI_SUM", Element::floating, 64, true},
                          Case{2, "MPI_SUM", Element::floating, 64, false},
                          Case{2, "MPI_PROD", Element::floating, 64, false},
                          Case{2, "MPI_SUM", Element::floating, nan, true},
                          Case{2, "MPI_PROD", Element::complex, 64, true},
                          Case{2, "MPI_MAX", Element::floating, 64, true},
                          Case{2, "of_program", Element::floating, 64, true},
                          Case{3, "MPI_SUM", Element::signed_integer, 64, false},
                          Case{3, "MPI_BXOR", Element::unsigned_integer, 64, false},
                          Case{3, "of_program", Element::signed_integer, 64, true},
                          Case{2, "MPI_MAXLOC", Element::other, 64, true}}) {
    CAPTURE(one.ranks, one.op, one.other);
    const Run a(6, one.ranks);
    Run b = a;
    for (auto& rank : b.of) rank[2].output[0] = one.other;
    auto traces = std::pair(a.trace(), b.trace());
    for (Trace* const trace : {&traces.first, &traces.second}) {
      for (auto& rank : trace->ranks) {
        rank.operators[0].name = one.op;
        rank.types[0].element = one.element;
      }
    }
    const auto result = compare(traces.first, traces.second);
    REQUIRE(result.divergences.size() == 1);
    CHECK(result.divergences[0].cause == Cause::order);
    CHECK_THAT(result.divergences[0].what,
               Contains(one.matters ? "in another order" : "every order gives the same bits"));
  }
}

TEST_CASE("ranks with different outputs are a broken collective, in either run") {
  Run broken;
  broken.of[1][2].output[1] = after(3);
  for (const bool swapped : {false, true}) {
    const auto result = swapped ? compared(broken, Run()) : compared(Run(), broken);
    REQUIRE(result.divergences.size() == 1);
    const auto& first = result.divergences[0];
    CHECK(first.cause == Cause::ranks_disagree);
    CHECK(first.call == 2);
    CHECK(first.rank == 1);
    CHECK(first.item == 1u);
    CHECK(first.ulps == 1u);
    CHECK(first.first == "0x1.8p+1");
    CHECK_THAT(first.what, Contains(swapped ? "In A" : "In B"));
  }
  // On two ranks, the other run says which one is wrong.
  Run two(3, 2);
  two.of[0][1].output[0] = after(33);
  CHECK(compared(Run(3, 2), two).divergences.at(0).rank == 0);
  // The same in both runs is no divergence.
  const auto both = compared(broken, broken);
  CHECK(both.divergences.empty());
  CHECK_THAT(both.notes.at(0), Contains("In both runs, 1 all-reduce ended"));
}

TEST_CASE("a call more, a call less and another call are structure") {
  const auto insert = [](Run& run, std::size_t at, std::uint32_t site) {
    for (auto& rank : run.of) {
      Written more{.input = {0.5, 0.25}, .output = {1.5, 0.75}, .site = site};
      rank.insert(rank.begin() + static_cast<std::ptrdiff_t>(at), more);
    }
    run.number();
  };
  for (const std::uint32_t site : {0, 1, 2}) {
    CAPTURE(site);
    Run more;
    insert(more, 2, site);
    const auto result = compared(Run(), more);
    REQUIRE(result.divergences.size() == 1);
    CHECK(result.divergences[0].cause == Cause::structure);
    CHECK(result.divergences[0].call == 2);
    CHECK_THAT(result.divergences[0].what, Contains("Only B calls MPI_Allreduce of 2"));
    const auto less = compared(more, Run());
    REQUIRE(less.divergences.size() == 1);
    CHECK_THAT(less.divergences[0].what, Contains("Only A calls"));
  }
  Run shorter(5);
  CHECK(compared(Run(), shorter).divergences.at(0).call == 5);
  Run other;
  for (auto& rank : other.of) rank[3].call = format::call_scan;
  const auto result = compared(Run(), other);
  REQUIRE(result.divergences.size() == 1);
  CHECK(result.divergences[0].cause == Cause::structure);
  CHECK_THAT(result.divergences[0].what, Contains("B calls MPI_Scan of 2"));
}

TEST_CASE("a communicator more or less is structure, and the others are compared in pairs") {
  // Each communicator has two calls of its own numbers. The ones of `numbers` are there.
  const auto run = [](const std::vector<int>& numbers) {
    Trace trace;
    for (int rank = 0; rank < 2; ++rank) {
      TraceBytes file(rank, 2);
      for (std::uint32_t k = 0; k < numbers.size(); ++k) file.communicator({{0, 2}}, {k});
      for (std::uint32_t k = 0; k < numbers.size(); ++k) {
        for (std::uint64_t call = 0; call < 2; ++call) {
          const double number = 10.0 * numbers[k] + static_cast<double>(call);
          file.reduction({.sequence = call,
                          .input = {number + rank},
                          .output = {2 * number + 1},
                          .communicator = k + 1});
        }
      }
      file.end();
      trace.ranks.push_back(file.parsed());
      auto& communicators = trace.ranks.back().communicators;
      for (std::uint32_t k = 0; k < communicators.size(); ++k) communicators[k].number = k;
    }
    return trace;
  };
  const auto without_second = [](Trace trace) {
    for (auto& rank : trace.ranks) {
      std::erase_if(rank.reductions, [](const auto& one) { return one.communicator == 2; });
    }
    return trace;
  };
  const auto check_extra = [&](const std::vector<int>& longer, std::uint64_t first) {
    CAPTURE(longer);
    const auto more = compare(run({1, 2, 3, 4}), run(longer));
    REQUIRE(more.divergences.size() == 2);
    const auto less = compare(run(longer), run({1, 2, 3, 4}));
    REQUIRE(less.divergences.size() == 2);
    for (std::size_t k = 0; k < 2; ++k) {
      CHECK(more.divergences[k].cause == Cause::structure);
      CHECK_THAT(more.divergences[k].what, Contains("Only B calls"));
      CHECK(more.communicators[more.divergences[k].communicator].number == first);
      CHECK(less.divergences[k].cause == Cause::structure);
      CHECK_THAT(less.divergences[k].what, Contains("Only A calls"));
    }
  };
  check_extra({7, 1, 2, 3, 4}, 1);
  check_extra({1, 2, 7, 3, 4}, 3);
  check_extra({1, 2, 3, 4, 7}, 5);
  // Nothing but their origins pairs them.
  const auto by_origin = compare(run({1, 2, 3, 4, 5}), without_second(run({11, 12, 13, 14, 15})));
  CHECK(by_origin.divergences.size() == 10);
  CHECK(std::count_if(by_origin.divergences.begin(), by_origin.divergences.end(),
                      [](const auto& one) { return one.cause == Cause::structure; }) == 2);
  // Other numbers on all of them: pairs in their sequence.
  const auto other = compare(run({1, 2, 3, 4}), run({1, 12, 13, 14}));
  REQUIRE(other.divergences.size() == 6);
  for (const auto& one : other.divergences) CHECK(one.cause == Cause::inputs);
  CHECK(other.communicators[other.divergences[0].communicator].number == 2);
}

TEST_CASE("calls on a communicator of the second run alone have their place in the sequence") {
  const auto run = [](double later, bool more) {
    Trace trace;
    TraceBytes file(0, 1);
    file.communicator({{0, 1}}, {0}, 7);
    for (std::uint64_t call = 0; call < 3; ++call) {
      file.reduction({.sequence = call,
                      .input = {call == 1 ? later : static_cast<double>(call)},
                      .output = {1}});
    }
    if (more) file.reduction({.input = {5}, .output = {5}, .communicator = 1});
    file.reduction({.sequence = 3, .input = {1}, .output = {1}});
    file.end();
    trace.ranks.push_back(file.parsed());
    trace.ranks[0].communicators[1].number = 1;
    return trace;
  };
  for (const bool swapped : {false, true}) {
    const auto one = swapped ? run(2, true) : run(1, false);
    const auto other = swapped ? run(1, false) : run(2, true);
    const auto found = compare(one, other).divergences;
    REQUIRE(found.size() == 2);
    CHECK(found[0].cause == Cause::inputs);
    CHECK(found[0].call == 1);
    CHECK(found[1].cause == Cause::structure);
  }
}

TEST_CASE("of other numbers of ranks, communicators made from MPI_COMM_SELF are not compared") {
  const auto run = [](int ranks) {
    Trace trace;
    for (int rank = 0; rank < ranks; ++rank) {
      TraceBytes file(rank, ranks);
      file.communicator({{rank, 1}}, {format::self_number}, 1, 0);
      file.reduction({.input = {3}, .output = {3}});
      file.reduction({.input = {1.0 * ranks}, .output = {1.0 * ranks}, .communicator = 1});
      file.end();
      trace.ranks.push_back(file.parsed());
      trace.ranks.back().communicators[1].number = ranks == 1 ? 1 : 0;
    }
    return trace;
  };
  const auto result = compare(run(1), run(3));
  CHECK(result.divergences.empty());
  CHECK(result.notes.back() == "Communicators of fewer ranks are not compared: 1 of A and 3 of B.");
}

TEST_CASE("calls after a cut are not compared") {
  Run b;
  for (auto& rank : b.of) rank.resize(4);
  b.of[1].resize(3);
  auto result = compare(Run().trace(), b.trace(1));
  CHECK(result.divergences.empty());
  CHECK(result.calls == 3);
  CHECK(result.notes.at(0) ==
        "B is cut: no end is in the file of rank 1, after 3 reductions. Calls "
        "after the cut are not compared.");
  result = compare(Run().trace(), b.trace());
  CHECK(result.divergences.at(0).call == 3);
  CHECK(result.divergences.at(0).rank == 1);
}

TEST_CASE("ends before MPI_Finalize are told, with the ranks and how far they came") {
  Run b(6, 4);
  b.of[2].resize(4);
  b.of[3].resize(3);
  const auto result = compare(Run(6, 4).trace(), b.trace({format::end_signal, format::end_finalize,
                                                          format::end_signal, format::end_signal}));
  REQUIRE(result.notes.size() == 1);
  CHECK(result.notes[0] == "B ended early: a signal ended ranks 0, 2-3, after 3 to 6 reductions.");
  CHECK(result.divergences.at(0).cause == Cause::structure);
  const auto ends =
      compare(Run(1, 2).trace({format::end_abort, format::end_exit}), Run(1, 2).trace()).notes;
  CHECK(ends == std::vector<std::string>{
                    "A ended early: rank 0 called MPI_Abort, after 1 reduction.",
                    "A ended early: rank 1 ended without MPI_Finalize, after 1 reduction."});
}

TEST_CASE("calls are described in plain words") {
  Run broken;
  broken.of[1][2].output[1] = after(3);
  CHECK(compared(broken, broken).notes.at(0) ==
        "In both runs, 1 all-reduce ended with different bits on different ranks.");
  Run b;
  b.of[0][1].input[0] = 7;
  Trace own = Run().trace();
  Trace other = b.trace();
  for (Trace* const trace : {&own, &other}) {
    for (auto& rank : trace->ranks) {
      rank.types[0].name = "derived type";
      rank.operators[0].name = "own operator add_pairs";
    }
  }
  CHECK(compare(own, other).divergences.at(0).operation ==
        "MPI_Allreduce of 2 items of a derived type by operator add_pairs of the program");
  for (auto& rank : own.ranks) rank.operators[0].name = "own operator";
  other.ranks = own.ranks;
  other.ranks[0].reductions.clear();
  CHECK_THAT(compare(own, other).divergences.at(0).operation,
             Catch::EndsWith("by an operator of the program"));
}

TEST_CASE("operators of two programs are compared only as such") {
  Trace a = Run().trace();
  Trace b = Run().trace();
  for (auto& rank : a.ranks) rank.operators[0].name = "own operator app+0x10";
  for (auto& rank : b.ranks) rank.operators[0].name = "own operator app+0x20";
  CHECK(compare(a, b).divergences.at(0).cause == Cause::structure);
  for (auto& rank : b.ranks) {
    for (auto& site : rank.sites) site.object = "/bin/other";
  }
  CHECK(compare(a, b).divergences.empty());
  for (auto& rank : b.ranks) rank.operators[0].name = "MPI_SUM";
  CHECK(compare(a, b).divergences.at(0).cause == Cause::structure);
}

TEST_CASE("a root is named by its rank in MPI_COMM_WORLD") {
  Run more;
  for (const std::size_t rank : {0, 1}) {
    more.of[rank].push_back(
        {.sequence = 0, .input = {1}, .communicator = 1, .call = format::call_reduce, .root = 0});
  }
  const auto result = compare(more.trace(), Run().trace());
  REQUIRE(result.divergences.size() == 1);
  // The first member of the communicator is rank 1.
  CHECK_THAT(result.divergences[0].operation, Catch::EndsWith("by MPI_SUM to rank 1"));
}

TEST_CASE("other data at another site of the same call are other data") {
  Run b;
  for (auto& rank : b.of) rank[3].site = 2;
  auto result = compared(Run(), b);
  REQUIRE(result.divergences.size() == 1);
  CHECK(result.divergences[0].cause == Cause::structure);
  b.of[1][3].input[0] = after(b.of[1][3].input[0]);
  result = compared(Run(), b);
  REQUIRE(result.divergences.size() == 1);
  CHECK(result.divergences[0].cause == Cause::inputs);
  CHECK(result.divergences[0].call == 3);
  CHECK(result.divergences[0].rank == 1);
  CHECK(result.divergences[0].item == 0);
  CHECK_THAT(result.divergences[0].what, Contains("call sites differ"));
}

TEST_CASE("nothing is said of calls of which a cut file lacks an input") {
  Run b;
  b.of[0].clear();
  for (std::size_t rank : {1, 2}) b.of[rank][2].output[0] = after(b.of[rank][2].output[0]);
  const auto result = compare(Run().trace(), b.trace(0));
  CHECK(result.divergences.empty());
  CHECK(result.calls == 0);
}

TEST_CASE("a communicator of one run only has calls that the other lacks") {
  Run more;
  for (std::size_t rank : {0, 1}) {
    more.of[rank].push_back({.sequence = 0, .input = {1}, .output = {2}, .communicator = 1});
  }
  auto result = compared(Run(), more);
  REQUIRE(result.divergences.size() == 1);
  CHECK(result.divergences[0].cause == Cause::structure);
  CHECK_THAT(result.divergences[0].what, Contains("Only B calls"));
  CHECK(result.divergences[0].position == 6);
  result = compared(more, Run());
  REQUIRE(result.divergences.size() == 1);
  CHECK_THAT(result.divergences[0].what, Contains("Only A calls"));
  CHECK(result.divergences[0].position == 6);
  // The calls of a rank whose file is cut may be lost.
  CHECK(compare(more.trace(), Run().trace(1)).divergences.empty());
  CHECK(compare(Run().trace(1), more.trace()).divergences.empty());
  CHECK_FALSE(compare(more.trace(), Run().trace(2)).divergences.empty());
}

TEST_CASE("a difference beyond the kept bytes has no item") {
  Run a;
  Run b;
  b.of[0][1].input[1] = after(1);
  const auto result = compare(a.trace(-1, 8), b.trace(-1, 8));
  REQUIRE(result.divergences.size() == 1);
  CHECK(result.divergences[0].rank == 0);
  CHECK_FALSE(result.divergences[0].item);
  CHECK_FALSE(result.divergences[0].ulps);
  CHECK_THAT(result.divergences[0].what,
             Contains("beyond the 8 bytes that both runs recorded; ") && Contains("--keep"));
  const auto less = compare(a.trace(-1, 64), b.trace(-1, 8));
  CHECK_THAT(less.divergences.at(0).what, Contains("beyond the 8 bytes that both"));
}

TEST_CASE("of an item that was recorded in part, no value is shown") {
  Run a;
  Run b;
  b.of[0][1].input[1] = -b.of[0][1].input[1];
  for (const std::uint32_t keep : {12U, 15U, 16U}) {
    CAPTURE(keep);
    b.of[0][1].input[1] = keep == 12 ? after(1) : 2;
    const auto one = compare(a.trace(-1, keep), b.trace(-1, keep)).divergences.at(0);
    CHECK(one.cause == Cause::inputs);
    CHECK(one.first.empty() == (keep < 16));
    CHECK(one.ulps.has_value() == (keep == 16));
  }
}

TEST_CASE("infinities have no ulps, and NaNs are shown with their bits") {
  Run a;
  Run b;
  const auto first_of = [&](double x, double y) {
    a.of[1][2].input[0] = x;
    b.of[1][2].input[0] = y;
    return compared(a, b).divergences.at(0);
  };
  CHECK_FALSE(first_of(1, INFINITY).ulps);
  CHECK(first_of(-INFINITY, INFINITY).second == "inf");
  const auto nans = first_of(std::bit_cast<double>(0x7ff8000000000001),
                             std::bit_cast<double>(0xfff8000000000000));
  CHECK_FALSE(nans.ulps);
  CHECK(nans.first == "nan (0x7ff8000000000001)");
  CHECK(nans.second == "-nan (0xfff8000000000000)");
}

TEST_CASE("runs on other numbers of ranks are compared by their results") {
  Run two(6, 2);
  for (auto& rank : two.of) rank[4].output[0] = after(rank[4].output[0]);
  const auto result = compared(Run(), two);
  REQUIRE(result.divergences.size() == 1);
  CHECK(result.divergences[0].cause == Cause::results);
  CHECK(result.divergences[0].call == 4);
  CHECK(result.divergences[0].ulps == 1u);
  CHECK_FALSE(result.divergences[0].rank);
}

TEST_CASE("the first difference is that of the program, not of the first communicator") {
  // Ranks 1 and 0 call twice among themselves before call 1 of all ranks.
  const auto with_pair = [](double input) {
    Run run;
    for (const std::size_t rank : {0, 1}) {
      auto& calls = run.of[rank];
      for (std::uint64_t k = 0; k < 2; ++k) {
        Written pair{.sequence = 1 - k, .input = {input}, .output = {1}, .communicator = 1};
        calls.insert(calls.begin() + 1, pair);
      }
      calls[2].input[0] = input;
    }
    return run;
  };
  Run b = with_pair(4);
  b.of[2][1].input[0] = 99;  // rank 2 is in call 1 of all ranks
  const auto result = compared(with_pair(5), b);
  REQUIRE(result.divergences.size() == 3);
  CHECK(result.divergences[0].communicator == 1);
  CHECK(result.communicators[1].members == std::vector<int>{1, 0});
  CHECK(result.divergences[0].call == 0);
  CHECK(result.divergences[0].rank == 1);
  CHECK(result.divergences[1].call == 1);
  CHECK(result.divergences[2].communicator == 0);
  CHECK(result.divergences[2].rank == 2);
}

TEST_CASE("non-blocking calls that ranks begin in different sequences are one call each") {
  const auto swapped = [](double input) {
    Run run(2);
    std::swap(run.of[1][0], run.of[1][1]);
    run.of[1][0].sequence = 1;
    run.of[1][1].sequence = 0;
    run.of[1][0].input[0] = input;
    return run;
  };
  const auto result = compared(swapped(1), swapped(2));
  CHECK(result.calls == 2);
  REQUIRE(result.divergences.size() == 1);
  CHECK(result.divergences[0].call == 1);
}

TEST_CASE("ulps count the floats between two") {
  const auto ulps = [](double x, double y) {
    Run a(1);
    Run b(1);
    a.of[0][0].input[0] = x;
    b.of[0][0].input[0] = y;
    return compared(a, b).divergences.at(0).ulps;
  };
  const double least = 4.9406564584124654e-324;
  CHECK(ulps(1, after(1)) == 1u);
  CHECK(ulps(-1, 1) == 2 * 0x3FF0000000000000u);
  CHECK(ulps(-least, least) == 2u);
  CHECK(ulps(-0.0, 0.0) == 0u);
  CHECK(ulps(1, 2) == std::uint64_t{1} << 52);
  CHECK_FALSE(ulps(1, NAN));
  CHECK_FALSE(ulps(1.7976931348623157e308, INFINITY));
}

}  // namespace compare_test
