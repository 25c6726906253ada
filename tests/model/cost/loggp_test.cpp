// SPDX-License-Identifier: MIT

#include "bracket/model/loggp.hpp"

#include <cmath>
#include <limits>

#include "bracket/model/plan.hpp"
#include "bracket/support/error.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

namespace loggp_test {

using namespace bracket;
using Catch::Approx;

namespace {

constexpr Machine simple{.latency = 1000,
                         .overhead = 100,
                         .gap = 10,
                         .gap_per_byte = 1,
                         .seconds_per_addition = 7,
                         .value_bytes = 8};

Schedule schedule_of(const Distribution& distribution, const std::string& plan,
                     Delivery delivery = {}) {
  return make_schedule(make_order("tree", distribution.elements()), distribution, *make_plan(plan),
                       delivery);
}

/// Finish time of each rank, in seconds. Steps for which `longer` is true take `seconds` longer.
template <class Longer>
std::vector<double> replay(const Schedule& schedule, const Machine& machine, Longer longer,
                           double seconds) {
  // Relax every rank's clock until no clock changes.
  std::vector<std::vector<double>> start(schedule.parts.size());
  std::vector<double> finish(schedule.parts.size());
  for (std::size_t r = 0; r < start.size(); ++r) start[r].resize(schedule.parts[r].steps().size());
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t r = 0; r < start.size(); ++r) {
      const auto& part = schedule.parts[r];
      double clock = 0, may_send = 0, received = -1e9;
      for (std::size_t i = 0; i < part.steps().size(); ++i) {
        const Step& step = part.steps()[i];
        double begin = clock;
        const double injection = (8.0 * step.count - 1) * machine.gap_per_byte;
        if (step.kind == StepKind::send) {
          begin = std::max(begin, may_send);
          may_send = begin + machine.gap + injection;
        } else if (step.kind == StepKind::recv) {
          // The k-th receive from a peer matches the peer's k-th send to this rank.
          std::size_t k = 0;
          for (std::size_t j = 0; j < i; ++j) {
            const Step& earlier = part.steps()[j];
            if (earlier.kind == StepKind::recv && earlier.peer == step.peer) ++k;
          }
          const auto peer = static_cast<std::size_t>(step.peer);
          const auto& sender = schedule.parts[peer];
          for (std::size_t j = 0; j < sender.steps().size(); ++j) {
            const Step& sent = sender.steps()[j];
            if (sent.kind != StepKind::send || sent.peer != static_cast<Rank>(r)) continue;
            if (k-- == 0) {
              begin =
                  std::max(begin, start[peer][j] + machine.overhead + machine.latency + injection);
              break;
            }
          }
          begin = std::max(begin, received + machine.gap + injection);
          received = begin;
        }
        if (begin != start[r][i]) changed = true;
        start[r][i] = begin;
        double work = machine.overhead;
        if (step.kind == StepKind::fold) {
          work = machine.seconds_per_addition *
                 static_cast<double>(part.result(step).range.size() - 1);
        }
        if (step.kind == StepKind::join) work = machine.seconds_per_addition;
        if (longer(r, i)) work += seconds;
        clock = begin + work;
      }
      finish[r] = clock;
    }
  }
  return finish;
}

std::vector<double> replay(const Schedule& schedule, const Machine& machine) {
  return replay(
      schedule, machine, [](std::size_t, std::size_t) { return false; }, 0);
}

}  // namespace

TEST_CASE("one rank costs its additions") {
  const auto cost = paper_cost(schedule_of(lower_distribution(11, 1), "direct"), simple);
  CHECK(cost.makespan == Approx(70));
  CHECK(cost.finish == std::vector<double>{cost.makespan});
  REQUIRE(cost.critical_path.size() == 1);
  CHECK(cost.critical_path[0].start == 0);
}

// LogGP: a message of k bytes takes o + (k - 1) G + L + o.
TEST_CASE("one message of one value") {
  const auto schedule = schedule_of(Distribution::from_counts(std::vector<Index>{1, 1}), "direct");
  const auto cost = paper_cost(schedule, simple);
  CHECK(cost.makespan == Approx(100 + 7 + 1000 + 100 + 7));
  CHECK(cost.finish[1] == Approx(100));
  REQUIRE(cost.critical_path.size() == 4);
  CHECK(cost.critical_path.front().rank == 1);
  CHECK(cost.critical_path.back().rank == 0);
  CHECK(cost.critical_path.back().end == Approx(cost.makespan));
}

TEST_CASE("messages that cross take the time of an exchange") {
  Machine machine = simple;
  machine.seconds_per_addition = 0;
  machine.messages = {{.bytes = 8,
                       .send_overhead = 10,
                       .receive_overhead = 20,
                       .round_trip = 200,
                       .gap = 30,
                       .exchange = 170}};
  const auto makespan = [&](const char* plan, Rank ranks, Delivery delivery) {
    return paper_cost(schedule_of(lower_distribution(ranks, ranks), plan, delivery), machine)
        .makespan;
  };
  CHECK(makespan("butterfly", 2, Delivery::to_all()) == Approx(170));
  CHECK(makespan("butterfly", 8, Delivery::to_all()) == Approx(3 * 170));
  // These messages go one way, or there and then back.
  CHECK(makespan("direct", 2, Delivery::to(0)) == Approx(100));
  CHECK(makespan("direct", 2, Delivery::to_all()) == Approx(200));
  // In these plans, a rank sends to one rank and receives from another.
  for (const char* plan : {"ring", "dissemination"}) {
    const double crossing = makespan(plan, 3, Delivery::to_all());
    machine.messages[0].exchange = 0;
    CHECK(makespan(plan, 3, Delivery::to_all()) == crossing);
    machine.messages[0].exchange = 170;
  }
}

TEST_CASE("the receiver's own work hides a message") {
  // Rank 0 folds 1024 elements and rank 1 folds one, so the message waits for the fold.
  const auto schedule =
      schedule_of(Distribution::from_counts(std::vector<Index>{1024, 1}), "direct");
  CHECK(paper_cost(schedule, simple).makespan == Approx(1023 * 7 + 100 + 7));
}

TEST_CASE("successive messages keep the gap") {
  // Rank 1 holds [3,6) and sends (3, 0) and (4, 1); the fold between them takes 7.
  const auto distribution = Distribution::from_counts(std::vector<Index>{3, 3});
  Machine machine = simple;
  machine.gap = 5000;
  const auto cost = paper_cost(schedule_of(distribution, "direct"), machine);
  const double second_send = 5000 + 7;  // gap and injection of the first send
  CHECK(cost.finish[1] == Approx(second_send + 100));
  CHECK(cost.makespan == Approx(second_send + 100 + 7 + 1000 + 100 + 7));
}

TEST_CASE("the makespan agrees with an event-driven replay") {
  testing::property("paper cost", [] {
    const auto distribution = *testing::any_distribution(2000, 30);
    const auto plan = *rc::gen::element<std::string>("direct", "buffered", "aggregated:3");
    const auto schedule = schedule_of(distribution, plan, *testing::any_delivery());
    // On the second machine, a port is busy with most messages for longer than the processor is.
    Machine narrow = simple;
    narrow.gap_per_byte = 20;
    for (const Machine& machine : {simple, narrow}) {
      RC_ASSERT(paper_cost(schedule, machine).finish == replay(schedule, machine));
    }
  });
}

TEST_CASE("a makespan for many machines is that of each") {
  testing::property("makespan", [] {
    const auto distribution = *testing::any_distribution(2000, 30);
    const auto plan = *rc::gen::element<std::string>("direct", "buffered", "aggregated:3");
    const auto schedule = schedule_of(distribution, plan, *testing::any_delivery());
    const PaperMakespan makespan(schedule);
    Machine measured;
    measured.messages = {{8, 1e-7, 2e-7, 2e-6, 1e-7}, {4096, 1e-6, 2e-6, 8e-6, 1e-6}};
    MeasuredWork& work = measured.work.emplace();
    work.start = 1e-6;
    work.folds = {{1, 1e-9}, {100, 8e-8}};
    work.folds_together = {{2, {{1, 2e-9}, {100, 9e-8}}}};
    work.copies = {{1, 1e-10}};
    Machine cold = measured;
    cold.cache_bytes = 100;
    cold.cold_messages = {{8, 2e-7, 3e-7, 4e-6, 2e-7}};
    for (const Machine& machine : {simple, Machine{}, measured, cold}) {
      RC_ASSERT(makespan(machine) == paper_cost(schedule, machine).makespan);
    }
  });
  CHECK_THROWS_AS(PaperMakespan(schedule_of(lower_distribution(8, 2), "direct"))({.latency = -1}),
                  Error);
}

TEST_CASE("the folds of a rank may take longer by its slack, and no longer") {
  testing::property("slack", [] {
    const auto distribution = *testing::any_distribution(300, 12);
    const auto plan = *rc::gen::element<std::string>("direct", "buffered", "aggregated:3");
    const auto schedule = schedule_of(distribution, plan, *testing::any_delivery());
    const auto cost = paper_cost(schedule, simple);
    for (std::size_t rank = 0; rank < schedule.parts.size(); ++rank) {
      const double slack = cost.slack[rank];
      const auto steps = schedule.parts[rank].steps();
      double most = 0;  // largest makespan if one fold takes a second longer than its slack allows
      for (std::size_t i = 0; i < steps.size(); ++i) {
        if (steps[i].kind != StepKind::fold) continue;
        const auto longer = [&](std::size_t r, std::size_t j) { return r == rank && j == i; };
        const auto within = replay(schedule, simple, longer, slack);
        RC_ASSERT(*std::max_element(within.begin(), within.end()) == cost.makespan);
        const auto beyond = replay(schedule, simple, longer, slack + 1);
        most = std::max(most, *std::max_element(beyond.begin(), beyond.end()));
      }
      RC_ASSERT(most == (std::isinf(slack) ? 0 : cost.makespan + 1));
    }
  });
}

TEST_CASE("the critical path is connected and ends with the makespan") {
  const auto schedule = schedule_of(make_distribution("lower", 504850, 256), "direct");
  const auto cost = paper_cost(schedule, Machine{});
  REQUIRE_FALSE(cost.critical_path.empty());
  CHECK(cost.critical_path.front().start == 0);
  CHECK(cost.critical_path.back().end == cost.makespan);
  for (std::size_t i = 1; i < cost.critical_path.size(); ++i) {
    CHECK(cost.critical_path[i - 1].start <= cost.critical_path[i].start);
  }
}

TEST_CASE("the times of all steps agree with those of the critical path and of the ranks") {
  testing::property("times of steps", [] {
    const auto distribution = *testing::any_distribution(2000, 12);
    const auto schedule = schedule_of(
        distribution, *rc::gen::element<std::string>("direct", "buffered", "aggregated"));
    std::vector<StepTime> steps;
    const auto cost = paper_cost(schedule, simple, {}, &steps);
    std::size_t id = 0;
    std::vector<std::size_t> first;
    for (std::size_t rank = 0; rank < schedule.parts.size(); ++rank) {
      first.push_back(id);
      double end = 0;
      for (std::size_t i = 0; i < schedule.parts[rank].steps().size(); ++i, ++id) {
        RC_ASSERT(steps.at(id).start >= end + steps[id].before);
        RC_ASSERT(steps[id].end >= steps[id].start);
        end = steps[id].end;
      }
      RC_ASSERT(end == cost.finish[rank]);
    }
    RC_ASSERT(id == steps.size());
    for (const auto& step : cost.critical_path) {
      const StepTime& time = steps[first[static_cast<std::size_t>(step.rank)] + step.step];
      RC_ASSERT(time.start == step.start);
      RC_ASSERT(time.end == step.end);
    }
  });
}

TEST_CASE("a machine or a schedule that cannot be is refused") {
  Machine machine;
  machine.latency = -1;
  const auto schedule = schedule_of(lower_distribution(10, 2), "direct");
  CHECK_THROWS_WITH(paper_cost(schedule, machine), Catch::Contains("latency"));
  machine.latency = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(paper_cost(schedule, machine), Error);
  auto broken = schedule;
  broken.parts[0] = {};
  CHECK_THROWS_WITH(paper_cost(broken, Machine{}), Catch::Contains("does not verify"));
  auto circular = schedule;
  circular.parts[0] = {};
  circular.parts[0].recv(1, {{Partial(Range{5, 6})}});
  circular.parts[0].send(1, {{Partial(Range{0, 5})}});
  circular.parts[1] = {};
  circular.parts[1].recv(0, {{Partial(Range{0, 5})}});
  circular.parts[1].send(0, {{Partial(Range{5, 6})}});
  CHECK_THROWS_WITH(paper_cost(circular, Machine{}), Catch::Contains("cycle"));
}

TEST_CASE("a machine for smaller values takes as long for each byte") {
  Machine machine;
  machine.work = MeasuredWork{
      {4, {{1, 2}, {2, 3}, {100, 50}}, {{2, {{3, 6}, {10, 9}}}}, {{50, 7}}, {{8, 3}}}, 1};
  const Machine small = machine.for_values(4);
  CHECK(small.value_bytes == 4);
  CHECK(small.seconds_per_addition == machine.seconds_per_addition / 2);
  CHECK(small.work->start == 1);
  CHECK(small.work->seconds_per_join == 2);
  CHECK(small.work->folds == std::vector<MeasuredWork::Fold>{{2, 2}, {4, 3}, {200, 50}});
  CHECK(small.work->folds_together[0].folds == std::vector<MeasuredWork::Fold>{{6, 6}, {20, 9}});
  CHECK(small.work->copies == std::vector<MeasuredWork::Fold>{{100, 7}});
  CHECK(small.work->joins == std::vector<MeasuredWork::Fold>{{16, 3}});
  CHECK(small.for_values(8).work == machine.work);
  const Machine large = machine.for_values(32);
  CHECK(large.work->folds == std::vector<MeasuredWork::Fold>{{1, 3}, {25, 50}});
  CHECK(large.work->folds_together[0].folds == std::vector<MeasuredWork::Fold>{{1, 6}, {2, 9}});
  machine.work->folds = {{1, 5}};
  CHECK(machine.for_values(16).work->folds == std::vector<MeasuredWork::Fold>{{1, 5}});
  large.check();
}

}  // namespace loggp_test
