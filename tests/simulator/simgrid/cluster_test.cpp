// SPDX-License-Identifier: MIT

#include <cmath>

#include "bracket/simulator/simgrid.hpp"
#include "bracket/support/error.hpp"
#include "simulator/by_hand.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

namespace cluster_test {

using namespace bracket;
using Catch::Approx;
using testing::add_message;
using testing::by_hand;
using testing::tree_schedule;

namespace {

// Sums of these figures show their terms.
constexpr Machine simple{.latency = 1000e-9,
                         .overhead = 100e-9,
                         .gap = 5000e-9,
                         .gap_per_byte = 1e-9,
                         .seconds_per_addition = 7e-9,
                         .value_bytes = 8};
constexpr double L = 1000e-9, o = 100e-9, G = 1e-9, add = 7e-9;

Simulation simulate(const Schedule& schedule, const Machine& machine) {
  return replay_simgrid(Workload(schedule, machine), machine);
}

Distribution counts(const std::vector<Index>& of_ranks) {
  return Distribution::from_counts(of_ranks);
}

}  // namespace

TEST_CASE("one rank costs its additions") {
  const auto simulation = simulate(tree_schedule(counts({11}), "direct"), simple);
  CHECK(simulation.makespan == Approx(10 * add));
  CHECK(simulation.finish == std::vector<double>{simulation.makespan});
  CHECK(simulation.messages == 0);
}

TEST_CASE("one message costs o + L + (k - 1) G + o, whatever the gap") {
  const auto simulation = simulate(tree_schedule(counts({1, 1}), "direct"), simple);
  CHECK(simulation.makespan == Approx(o + L + 7 * G + o + add));
  REQUIRE(simulation.finish.size() == 2);
  CHECK(simulation.finish[0] == simulation.makespan);
  CHECK(simulation.finish[1] == Approx(o));
  CHECK(simulation.messages == 1);
}

TEST_CASE("a vector costs the bytes and additions of all its items") {
  const auto simulation = simulate(tree_schedule(counts({1, 1}), "direct", {}, 100), simple);
  CHECK(simulation.makespan == Approx(o + L + 799 * G + o + 100 * add));
}

TEST_CASE("each cost alone") {
  const auto schedule = tree_schedule(counts({1, 1}), "direct");
  Machine machine{.latency = 0,
                  .overhead = 0,
                  .gap = 0,
                  .gap_per_byte = 0,
                  .seconds_per_addition = 0,
                  .value_bytes = 8};
  CHECK(simulate(schedule, machine).makespan == Approx(0).margin(1e-20));
  machine.latency = L;
  CHECK(simulate(schedule, machine).makespan == Approx(L));
  machine.latency = 0;
  machine.gap_per_byte = G;
  CHECK(simulate(schedule, machine).makespan == Approx(7 * G));
  machine.gap_per_byte = 0;
  machine.overhead = o;
  CHECK(simulate(schedule, machine).makespan == Approx(2 * o));
}

TEST_CASE("the receiver's own work hides a message") {
  const auto simulation = simulate(tree_schedule(counts({1024, 1}), "direct"), simple);
  CHECK(simulation.makespan == Approx(1023 * add + o + add));
}

TEST_CASE("messages to one host share its link in") {
  auto schedule = by_hand(3);
  add_message(schedule, 1, 0);
  add_message(schedule, 2, 0);
  CHECK(simulate(schedule, simple).makespan == Approx(o + L + 14 * G + 2 * o));
}

TEST_CASE("a message that comes later shares only what is left of the earlier one") {
  // The second message leaves 3 G later. Both have half the rate until the first is complete, at 3
  // G + 2 * 4 G; then 3 bytes of the second remain.
  auto schedule = by_hand(3);
  Machine machine = simple;
  machine.seconds_per_addition = 3 * G;
  schedule.parts[2].join(Range{0, 1}, Range{1, 2});
  add_message(schedule, 1, 0);
  add_message(schedule, 2, 0);
  schedule.parts[0] = {};
  schedule.parts[0].recv(2, {{Partial(Range{2, 3})}});
  schedule.parts[0].recv(1, {{Partial(Range{1, 2})}});
  machine.overhead = 0;
  CHECK(simulate(schedule, machine).makespan == Approx(L + 14 * G));
  schedule.parts[0] = {};
  schedule.parts[0].recv(1, {{Partial(Range{1, 2})}});
  schedule.parts[0].fold({0, 1001});
  schedule.parts[0].recv(2, {{Partial(Range{2, 3})}});
  CHECK(simulate(schedule, machine).makespan == Approx(L + 11 * G + 1000 * 3 * G));
}

TEST_CASE("messages of one host share its link out, not the way in") {
  auto schedule = by_hand(3);
  add_message(schedule, 0, 1);
  add_message(schedule, 0, 2);
  Machine machine = simple;
  machine.overhead = 0;
  CHECK(simulate(schedule, machine).makespan == Approx(L + 14 * G));
  auto exchange = by_hand(2);
  for (const Rank rank : {0, 1}) {
    exchange.parts[static_cast<std::size_t>(rank)].send(1 - rank,
                                                        {{Partial(Range{rank, rank + 1})}});
    exchange.parts[static_cast<std::size_t>(rank)].recv(1 - rank,
                                                        {{Partial(Range{1 - rank, 2 - rank})}});
  }
  CHECK(simulate(exchange, machine).makespan == Approx(L + 7 * G));
}

TEST_CASE("a receive takes the next message from that rank, not the next to arrive") {
  // The long message leaves first; the short one leaves a moment later and overtakes it.
  auto schedule = by_hand(2);
  const std::vector<Partial> hundred(100, Range{1, 2});
  schedule.parts[1].send(0, hundred);
  schedule.parts[1].send(0, {{Partial(Range{1, 2})}});
  schedule.parts[0].recv(1, hundred);
  schedule.parts[0].fold({0, 10001});
  schedule.parts[0].recv(1, {{Partial(Range{1, 2})}});
  Machine machine = simple;
  machine.overhead = 0;
  CHECK(simulate(schedule, machine).makespan == Approx(L + 806 * G + 10000 * add));
}

TEST_CASE("ranks without steps are done at once") {
  const auto simulation = simulate(by_hand(3), simple);
  CHECK(simulation == Simulation{.makespan = 0, .finish = {0, 0, 0}, .messages = 0});
}

// If bandwidth costs no time, messages do not share links. With a gap of 0, the paper's machine
// gives the same times except for rounding: each addition to the clock errs by some 1e-16 of it, a
// few thousand times, and measured work between two messages is rounded to whole picoseconds.
TEST_CASE("without bandwidth and gap the simulation agrees with the paper") {
  testing::property("agreement", [] {
    const auto distribution = *testing::any_distribution(2000, 30);
    const auto plan = *rc::gen::element<std::string>("direct", "buffered", "aggregated:3",
                                                     "elimination:1", "dissemination");
    const auto schedule = tree_schedule(distribution, plan, *testing::any_delivery(),
                                        *rc::gen::element<Index>(1, 50));
    const auto cost = [] { return *rc::gen::inRange(0, 1000) * 1e-9; };
    Machine machine{.latency = cost(),
                    .overhead = cost(),
                    .gap = 0,
                    .gap_per_byte = 0,
                    .seconds_per_addition = cost(),
                    .value_bytes = 8};
    if (*rc::gen::arbitrary<bool>()) {
      machine.work = MeasuredWork{{cost(), {{1, 0}, {8, cost()}, {500, 1e-6}}}, cost()};
    }
    const auto simulation = simulate(schedule, machine);
    const auto paper = paper_cost(schedule, machine);
    const double rounded =
        machine.work ? 0.5e-12 * static_cast<double>(2 * schedule.messages() + schedule.ranks())
                     : 0;
    const auto agree = [&](double a, double b) { return std::abs(a - b) <= 1e-12 * b + rounded; };
    RC_ASSERT(simulation.messages == schedule.messages());
    RC_ASSERT(agree(simulation.makespan, paper.makespan));
    RC_ASSERT(simulation.finish.size() == paper.finish.size());
    for (std::size_t rank = 0; rank < paper.finish.size(); ++rank) {
      RC_ASSERT(agree(simulation.finish[rank], paper.finish[rank]));
    }
  });
}

// A message arrives at most k G later for each message on its links, and never earlier.
TEST_CASE("bandwidth delays a schedule by at most all its bytes") {
  testing::property("bounds", [] {
    const auto distribution = *testing::any_distribution(2000, 30);
    const auto plan = *rc::gen::element<std::string>("direct", "buffered", "aggregated:3");
    const auto schedule = tree_schedule(distribution, plan);
    Machine machine = simple;
    machine.gap_per_byte = 0;
    const double free = simulate(schedule, machine).makespan;
    machine.gap_per_byte = G;
    const auto shared = simulate(schedule, machine);
    Index values = 0;
    for (const RankPart& part : schedule.parts) {
      for (const Step& step : part.steps()) {
        if (step.kind == StepKind::send) values += step.count;
      }
    }
    const double slack = 1e-12 * static_cast<double>(schedule.messages() + 1);  // SimGrid's step
    RC_ASSERT(shared.makespan >= free - slack);
    RC_ASSERT(shared.makespan <= free + static_cast<double>(8 * values) * G + slack);
    RC_ASSERT(shared.messages == schedule.messages());
  });
}

TEST_CASE("simulations of one process do not know of each other") {
  const auto schedule =
      tree_schedule(make_distribution("lower", 5048, 64), "direct", Delivery::to_all());
  const auto first = simulate(schedule, Machine{});
  simulate(by_hand(1), simple);
  CHECK(simulate(schedule, Machine{}) == first);
  CHECK(first.messages == schedule.messages());
}

TEST_CASE("long simulated times lose nothing") {
  Machine machine = simple;
  machine.latency = 1e5;
  machine.overhead = 1e4;
  const double makespan = simulate(tree_schedule(counts({1, 1}), "direct"), machine).makespan;
  CHECK(makespan - 1.2e5 == Approx(7 * G + add).margin(2e-11));
}

}  // namespace cluster_test
