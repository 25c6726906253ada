// SPDX-License-Identifier: MIT

#include "bracket/simulator/loggops.hpp"

#include <cmath>

#include "bracket/model/makespan_bound.hpp"
#include "bracket/model/tune.hpp"
#include "bracket/support/error.hpp"
#include "simulator/by_hand.hpp"
#include "simulator/loggops/loggopsim.hpp"
#include "simulator/loggops/obvious_loggops.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/plans.hpp"
#include "support/property.hpp"

namespace loggops_test {

using namespace bracket;
using Catch::Approx;
using Catch::Contains;
using testing::add_message;
using testing::by_hand;
using testing::Figures;
using testing::Nodes;
using testing::tree_schedule;

namespace {

/// Random figures; many are equal, and many are 0.
rc::Gen<Figures> any_figures() {
  return rc::gen::exec([] {
    const auto figure = [](int most) {
      return *rc::gen::oneOf(rc::gen::just(0), rc::gen::just(most), rc::gen::inRange(0, most));
    };
    return Figures{double(figure(20000)), double(figure(5000)), double(figure(30000)),
                   double(figure(40)),    double(figure(40)),   double(figure(64))};
  });
}

/// Random sends and receives in any sequence, so ranks may wait for ever.
Schedule any_messages() {
  Schedule schedule = by_hand(*rc::gen::inRange<Rank>(1, 7));
  const int steps = *rc::gen::inRange(0, 30);
  for (int i = 0; i < steps; ++i) {
    const Rank from = *rc::gen::inRange<Rank>(0, schedule.ranks());
    const Rank to = *rc::gen::inRange<Rank>(0, schedule.ranks());
    if (from == to) {
      schedule.parts[static_cast<std::size_t>(from)].fold(Range{0, *rc::gen::inRange(1, 9)});
    } else {
      add_message(schedule, from, to);
    }
  }
  return schedule;
}

void check_against_obvious(const Workload& workload, const Figures& figures,
                           const Nodes& nodes = {}, const Figures& inside = {}) {
  const testing::ObviousLoggops expected(workload, figures, nodes, inside);
  Machine machine = figures.machine();
  if (!nodes.empty()) machine.inside_node = inside.machine().between_nodes();
  if (expected.complete()) {
    CHECK(replay_loggops(workload, machine, nodes).finish == expected.finish());
  } else {
    CHECK_THROWS_WITH(replay_loggops(workload, machine, nodes), Contains("waits forever"));
  }
}

/// Random nodes of the ranks, and message costs inside a node; O and S apply to all messages.
std::pair<Nodes, Figures> any_nodes(Rank ranks, const Figures& figures) {
  Nodes nodes;
  for (Rank rank = 0; rank < ranks; ++rank) nodes.push_back(*rc::gen::inRange(0u, 4u));
  Figures inside = *any_figures();
  inside.O = figures.O;
  inside.S = figures.S;
  return {nodes, inside};
}

}  // namespace

TEST_CASE("LogGOPS: as LogGOPSim has it") {
  for (const testing::Golden& row : testing::golden) {
    INFO(row.plan << " of " << row.elements << " on " << row.ranks << ", " << row.distribution);
    const auto order = make_order("tree", row.elements);
    const auto distribution = make_distribution(row.distribution, row.elements, row.ranks);
    const Problem problem{order, distribution, row.to_all ? Delivery::to_all() : Delivery::to(0)};
    const Machine machine = row.figures.machine();
    const Workload workload(problem, *make_plan(row.plan), machine);
    CHECK(replay_loggops(workload, machine).makespan == row.ticks / ticks_per_second);
  }
}

TEST_CASE("LogGOPS: as the obvious replay has it, of every plan") {
  testing::property("plans", [] {
    const auto distribution = *testing::any_distribution(200, 20);
    const auto entries = plans();
    const auto& entry = entries[*rc::gen::inRange<std::size_t>(0, entries.size())].entry;
    const auto plan = make_plan(entry.name);
    if (!plan->scheduled()) return;
    const Rank root = *rc::gen::inRange<Rank>(0, distribution.ranks());
    const Delivery delivery = *rc::gen::element(Delivery::to(root), Delivery::to_all());
    const auto order = make_order("tree", distribution.elements());
    const Problem problem{order, distribution, delivery};
    try {
      check_fit(problem, *plan);
    } catch (const Error&) {
      RC_DISCARD("the plan is not for that");
    }
    const Figures figures = *any_figures();
    const Workload workload(problem, *plan, figures.machine());
    check_against_obvious(workload, figures);
    const auto [nodes, inside] = any_nodes(workload.ranks(), figures);
    check_against_obvious(workload, figures, nodes, inside);
  });
}

TEST_CASE("LogGOPS: no plan is below the bounds of makespans") {
  testing::property("bound", [] {
    const auto distribution = *testing::any_distribution(200, 20);
    const Index elements = distribution.elements();
    const Rank ranks = distribution.ranks();
    const Delivery delivery = *testing::any_delivery(*rc::gen::inRange<Rank>(0, ranks));
    const auto order = make_order("tree", elements);
    const Problem problem{order, distribution, delivery, *rc::gen::element<Index>(1, 30)};
    const Figures figures = *any_figures();
    Machine machine = figures.machine();
    machine.seconds_per_addition = *rc::gen::inRange(0, 10) * 1e-9;
    const auto [nodes, inside] = any_nodes(ranks, figures);
    machine.inside_node = inside.machine().between_nodes();
    // The narrowest windows that contain the distribution.
    double alpha = 0;
    for (Index k = 1; k < ranks; ++k) {
      const Index fair = upper_distribution(elements, ranks).boundaries()[std::size_t(k)];
      const Index moved = std::abs(distribution.boundaries()[std::size_t(k)] - fair);
      alpha = std::max(alpha, static_cast<double>((moved + 1) * ranks) / elements);
    }
    const double bound = makespan_bound({elements, ranks, alpha}, delivery, problem.items, machine);
    for (const auto& plan : testing::fitting_plans(problem)) {
      const Workload workload(problem, *plan, machine);
      constexpr double ticks = 1e-9;  // for a thousand roundings to picoseconds
      const double makespan = replay_loggops(workload, machine, nodes).makespan;
      RC_ASSERT(makespan >= bound - ticks);
      RC_ASSERT(makespan * (1 + 1e-12) >= busy_seconds(problem, *plan, machine));
    }
  });
}

TEST_CASE("LogGOPS: as the obvious replay has it, of any messages") {
  testing::property("messages", [] {
    const Schedule schedule = any_messages();
    const Figures figures = *any_figures();
    const Workload workload(schedule, figures.machine());
    check_against_obvious(workload, figures);
    const auto [nodes, inside] = any_nodes(workload.ranks(), figures);
    check_against_obvious(workload, figures, nodes, inside);
  });
}

TEST_CASE("LogGOPS: many messages wait for one rank") {
  const Figures figures{1000, 10, 500, 3, 0, 1e9};
  const Workload workload(tree_schedule(lower_distribution(700, 350), "gather"), figures.machine());
  check_against_obvious(workload, figures);
}

TEST_CASE("LogGOPS: each cost alone") {
  const auto pair =
      tree_schedule(Distribution::from_counts(std::vector<Index>{1, 1}), "direct", {}, 100);
  const auto makespan = [&](const Figures& figures) {
    Machine machine = figures.machine();
    machine.seconds_per_addition = 0;
    return replay_loggops(Workload(pair, machine), machine).makespan;
  };
  constexpr double inf = std::numeric_limits<double>::infinity();
  CHECK(makespan({7000, 0, 0, 0, 0, inf}) == 7000e-12);
  CHECK(makespan({0, 7000, 0, 0, 0, inf}) == 14000e-12);
  CHECK(makespan({0, 0, 7000, 0, 0, inf}) == 0);
  CHECK(makespan({0, 0, 0, 7, 0, inf}) == Approx(799 * 7e-12));
  // The sender's and the receiver's bytes overlap, since the first byte arrives at o + L.
  CHECK(makespan({0, 0, 0, 0, 7, inf}) == Approx(799 * 7e-12));
  Machine adds{.latency = 0, .overhead = 0, .gap = 0, .gap_per_byte = 0};
  adds.seconds_per_addition = 7e-9;
  CHECK(replay_loggops(Workload(pair, adds), adds).makespan == Approx(100 * 7e-9));
}

TEST_CASE("LogGOPS: a port takes one message after the other") {
  Schedule schedule = by_hand(4);
  for (Rank rank = 1; rank < 4; ++rank) add_message(schedule, rank, 0);
  const Machine machine = Figures{1000, 10, 300, 2, 0, 1e9}.machine();
  // The first bytes of all messages arrive at o + L; the second and third wait g + 7 G each.
  const double expected = 10 + 1000 + 2 * (300 + 7 * 2) + (10 + 7 * 2);
  CHECK(replay_loggops(Workload(schedule, machine), machine).makespan == expected / 1e12);
}

TEST_CASE("LogGOPS: a sender waits for the receive of a message of more than S bytes") {
  // Rank 0 makes eight additions before it receives the 8 bytes.
  Schedule schedule = by_hand(2);
  schedule.parts[0].fold(Range{0, 9});
  add_message(schedule, 1, 0);
  const auto sender_ends = [&](double S) {
    const Machine machine = Figures{1000, 10, 0, 0, 0, S}.machine();
    return replay_loggops(Workload(schedule, machine), machine).finish[1];
  };
  CHECK(sender_ends(8) == 10 / 1e12);
  CHECK(sender_ends(7) >= 8 * 4150 / 1e12);
}

TEST_CASE("LogGOPS: latency and log2 p") {
  const Machine machine{
      .latency = 1e-6, .overhead = 0, .gap = 0, .gap_per_byte = 0, .seconds_per_addition = 0};
  for (const Rank ranks : {2, 8, 64, 1024}) {
    const auto schedule =
        tree_schedule(lower_distribution(ranks, ranks), "butterfly", Delivery::to_all());
    CHECK(replay_loggops(Workload(schedule, machine), machine).makespan ==
          Approx(std::log2(ranks) * 1e-6));
  }
}

TEST_CASE("LogGOPS: measured work, after a run's start") {
  Machine machine{.latency = 0, .overhead = 0, .gap = 0, .gap_per_byte = 0};
  machine.work = MeasuredWork{{3e-9, {{1, 1e-9}, {100, 100e-9}}}, 5e-9};
  const auto schedule = tree_schedule(lower_distribution(128, 2), "direct");
  CHECK(replay_loggops(Workload(schedule, machine), machine).makespan == (5 + 64 + 3) / 1e9);

  // The elements of rank 0 fill its first cache, and those of rank 1 do not.
  machine.work->first_cache = {64, 1000e-9};
  const auto unequal = Distribution::from_counts(std::vector<Index>{112, 16});
  const Problem to_first{make_order("tree", 128), unequal, Delivery::to(0)};
  const auto gather = make_plan("gather");
  const double first =
      replay_loggops(Workload(make_schedule(to_first, *gather), machine), machine).finish[1];
  CHECK(first < 100e-9);
  const auto late = replay_loggops(Workload(to_first, *gather, machine), machine);
  CHECK(late.finish[0] > 1000e-9);
  CHECK(late.finish[1] == first);
  CHECK(late.makespan == Approx(paper_cost(make_schedule(to_first, *gather), machine).makespan));
  // Result vectors are finished at the end.
  machine.work->seconds_per_result = 7e-9;
  const auto vectors =
      make_schedule(make_order("tree", 128), unequal, *gather, Delivery::to(0), 10);
  const auto finished = replay_loggops(Workload(vectors, machine), machine);
  CHECK(finished.makespan == Approx(paper_cost(vectors, machine).makespan));
  machine.work->seconds_per_result = 0;
  const auto unfinished = replay_loggops(Workload(vectors, machine), machine);
  CHECK(finished.finish[0] == Approx(unfinished.finish[0] + 70e-9));
  CHECK(finished.finish[1] == unfinished.finish[1]);
  // Ranks without steps need not start.
  CHECK(Workload(by_hand(2), machine).operations().empty());
}

TEST_CASE("LogGOPS: times beyond what can be counted are refused") {
  const auto schedule =
      tree_schedule(Distribution::from_counts(std::vector<Index>{1, 1}), "direct");
  Machine machine;
  machine.latency = 1e6;
  CHECK_THROWS_WITH(replay_loggops(Workload(schedule, machine), machine),
                    Contains("the latency is 1e+06 seconds"));
  machine.latency = 0;
  machine.gap_per_byte = 1e6;
  CHECK_THROWS_WITH(replay_loggops(Workload(schedule, machine), machine), Contains("53 days"));
  machine.gap_per_byte = -1;
  CHECK_THROWS_AS(Workload(schedule, machine), Error);
}

}  // namespace loggops_test
