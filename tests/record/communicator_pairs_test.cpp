// SPDX-License-Identifier: MIT

#include <algorithm>

#include "record/runs.hpp"
#include "support/catch.hpp"

namespace communicator_pairs_test {

using namespace bracket::testing;
using bracket::record::Cause;
using bracket::record::compare;
using bracket::record::Trace;
using Catch::Contains;

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
  for (const auto& one : by_origin.divergences) {
    const bool second = by_origin.communicators[one.communicator].number == 2;
    CHECK(one.cause == (second ? Cause::structure : Cause::inputs));
  }
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

}  // namespace communicator_pairs_test
