// SPDX-License-Identifier: MIT

#include "bracket/model/allreduce_rounds.hpp"

#include "bracket/model/plan.hpp"
#include "bracket/support/error.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

namespace allreduce_rounds_test {

using namespace bracket;
using Catch::Approx;
using Catch::Contains;

namespace {

Machine any_machine() {
  const auto figure = [](int least) { return *rc::gen::inRange(least, 1000) * 1e-9; };
  Machine machine;
  machine.value_bytes = *rc::gen::element<Index>(4, 8);
  Index bytes = 0;
  for (int i = *rc::gen::inRange(1, 6); i > 0; --i) {
    bytes += *rc::gen::inRange<Index>(1, 500);
    // An overhead takes at most half the way, and a gap at most the way.
    machine.messages.push_back({bytes, figure(1), figure(1), 2 * 2e-6 + figure(0), figure(1)});
  }
  MeasuredWork& work = machine.work.emplace();
  work.start = figure(0);
  work.folds = {{1, 0}};
  work.seconds_per_join = figure(0);
  double seconds = 0;
  for (const Index items : {10, 100, 1000}) {
    seconds += figure(0);
    work.joins.push_back({items, seconds});
  }
  return machine;
}

/// Seconds of a ring computed by hand: a neighbour's message in each of 2·(p − 1) steps.
double naive_ring(Rank ranks, Index items, const Machine& machine) {
  const Index own = (items + ranks - 1) / ranks;
  const double way = machine.between_nodes().way(static_cast<double>(own * machine.value_bytes));
  double now = machine.work->start;
  for (Rank step = 1; step < ranks; ++step)
    now += way + machine.work->join(static_cast<double>(own), items);
  for (Rank step = 1; step < ranks; ++step) now += way;
  return now;
}

}  // namespace

TEST_CASE("algorithms by name") {
  CHECK(allreduce_algorithm("recursive-doubling") == AllreduceAlgorithm::recursive_doubling);
  CHECK(allreduce_algorithm("rabenseifner") == AllreduceAlgorithm::rabenseifner);
  CHECK(allreduce_algorithm("ring") == AllreduceAlgorithm::ring);
  CHECK_FALSE(allreduce_algorithm("library-default"));
}

TEST_CASE(
    "every algorithm combines what p - 1 ranks hold, and no rank combines more than it must") {
  for (Rank ranks = 1; ranks <= 64; ranks *= 2) {
    const Index items = 64 * 7;
    for (const auto algorithm : {AllreduceAlgorithm::rabenseifner, AllreduceAlgorithm::ring}) {
      Index combined = 0;
      Index sent = 0;
      for (const Round& round : allreduce_rounds(algorithm, ranks, items)) {
        combined += round.combined * round.count;
        sent += round.items * round.count;
      }
      // Both are the minimum for an all-reduce of long vectors.
      CHECK(combined == items / ranks * (ranks - 1));
      CHECK(sent == 2 * (items / ranks) * (ranks - 1));
    }
  }
}

TEST_CASE("rounds that double or halve take what LogGP says for the butterfly's schedule") {
  testing::property("rounds of a butterfly", [] {
    const Rank ranks = Rank{1} << *rc::gen::inRange(0, 5);
    // Shares are equal if the number of ranks divides the vector length.
    const Index items = Index{16} * *rc::gen::inRange<Index>(1, 40);
    const Machine machine = any_machine();
    const auto order = make_order("associative", ranks);
    const auto held = upper_distribution(ranks, ranks);
    const auto makespan = [&](const char* plan) {
      return paper_cost(make_schedule(order, held, *make_plan(plan), Delivery::to_all(), items),
                        machine)
          .makespan;
    };
    const auto rounds = [&](AllreduceAlgorithm algorithm) {
      return seconds_of(allreduce_rounds(algorithm, ranks, items), items, ranks, machine);
    };
    const auto doubling = rounds(AllreduceAlgorithm::recursive_doubling);
    RC_ASSERT(doubling == Approx(makespan("butterfly:1000000")));
    RC_ASSERT(rounds(AllreduceAlgorithm::rabenseifner) == Approx(makespan("butterfly:1")));
    RC_ASSERT(rounds(AllreduceAlgorithm::ring) == Approx(naive_ring(ranks, items, machine)));
  });
}

TEST_CASE("vectors that do not fit into a node's caches have the times of cold messages") {
  Machine machine{.latency = 1, .overhead = 0, .gap = 0, .gap_per_byte = 0};
  machine.value_bytes = machine.element_bytes = 4;
  machine.work = MeasuredWork{{0, {{1, 0}}}, 0};
  machine.messages = {{1, 1, 1, 4, 1}};
  machine.cold_messages = {{1, 1, 1, 40, 1}};
  const auto rounds = allreduce_rounds(AllreduceAlgorithm::recursive_doubling, 4, 1);
  // A rank holds one item and receives two.
  machine.cache_bytes = 12;
  CHECK(seconds_of(rounds, 1, 4, machine) == Approx(2 * 4 * 2));
  machine.cache_bytes = 11;
  CHECK(seconds_of(rounds, 1, 4, machine) == Approx(2 * 4 * 20));
  const auto schedule = make_schedule(make_order("associative", 4), upper_distribution(4, 4),
                                      *make_plan("butterfly"), Delivery::to_all());
  CHECK(paper_cost(schedule, machine).makespan == Approx(2 * 4 * 20));
  machine.cache_bytes = 12;
  CHECK(paper_cost(schedule, machine).makespan == Approx(2 * 4 * 2));
}

TEST_CASE("ranks beyond a power of two hand their vector over and get the result") {
  using enum AllreduceAlgorithm;
  const auto rounds = allreduce_rounds(recursive_doubling, 6, 10);
  REQUIRE(rounds.size() == 3);
  CHECK(rounds[0].combined == 10);
  CHECK(rounds[1].count == 2);
  CHECK(rounds[2].items == 10);
  CHECK(rounds[2].combined == 0);
  CHECK(allreduce_rounds(rabenseifner, 6, 10).size() == 2 + 4);
  CHECK(allreduce_rounds(ring, 6, 10).size() == 2);
  CHECK(allreduce_rounds(ring, 6, 10)[0].items == 2);
  CHECK(allreduce_rounds(recursive_doubling, 1, 10).empty());
  CHECK_THROWS_WITH(allreduce_rounds(ring, 0, 1), Contains("on 0 ranks"));
  CHECK_THROWS_WITH(allreduce_rounds(ring, 2, 0), Contains("of 0 items"));
}

}  // namespace allreduce_rounds_test
