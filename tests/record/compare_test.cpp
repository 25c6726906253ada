// SPDX-License-Identifier: MIT

#include "bracket/record/compare.hpp"

#include <cmath>
#include <functional>

#include "record/runs.hpp"
#include "support/catch.hpp"

namespace compare_test {

using namespace bracket::testing;
using bracket::record::Cause;
using bracket::record::compare;
using bracket::record::Trace;
using Catch::Contains;

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

}  // namespace compare_test
