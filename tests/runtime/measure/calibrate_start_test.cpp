// SPDX-License-Identifier: MIT

#include "bracket/model/distribution.hpp"
#include "bracket/model/loggp.hpp"
#include "bracket/model/plan.hpp"
#include "measure/calibration_parts.hpp"
#include "support/catch.hpp"

namespace calibrate_start_test {

using namespace bracket;
using Catch::Approx;
using runtime::calibration::moments_like;
using runtime::calibration::seconds_per_receive;
using runtime::calibration::TimedRun;

namespace {

/// Folds take no time, so rank 0 gets one message after the other.
Machine example_machine() {
  Machine machine{.latency = 100e-9, .overhead = 70e-9, .gap = 60e-9, .gap_per_byte = 1e-10};
  machine.work = MeasuredWork{{1e-9, {{1, 0}}}, 0};
  return machine;
}

/// The runs of a plan on two ranks as the machine would time them, `later` seconds late.
std::vector<TimedRun> runs_of(const char* plan, const Machine& machine, double later) {
  std::vector<TimedRun> runs;
  for (const Index count : {300, 700, 1500, 3000}) {
    Schedule schedule = make_schedule(make_order("tree", count), upper_distribution(count, 2),
                                      *make_plan(plan), Delivery::to(0));
    const double seconds = paper_cost(schedule, machine).makespan + later;
    runs.push_back({std::move(schedule), seconds});
  }
  return runs;
}

}  // namespace

TEST_CASE("what each receive of a run adds is found in runs with several messages") {
  for (const double planted : {0.0, 35e-9, 120e-9, 2e-6}) {
    Machine machine = example_machine();
    machine.work->seconds_per_receive = planted;
    // The start of a run has no part in it.
    const auto several = runs_of("direct", machine, 50e-9);
    const auto single = runs_of("aggregated", machine, 50e-9);
    CHECK(seconds_per_receive(example_machine(), several, single) == Approx(planted).margin(1e-9));
  }
}

TEST_CASE("messages that are faster than predicted add nothing, nor do single messages") {
  const Machine machine = example_machine();
  const auto single = runs_of("aggregated", machine, 0);
  CHECK(seconds_per_receive(machine, runs_of("direct", machine, -50e-9), single) == 0);
  CHECK(seconds_per_receive(machine, single, runs_of("aggregated", machine, -50e-9)) == 0);
  CHECK(seconds_per_receive(machine, {}, {}) == 0);
}

TEST_CASE("moments count at which messages take as long as usual, or all if these are too few") {
  using Moments = std::vector<std::size_t>;
  const std::vector<double> probes{4, 10, 5, 4.9, 3.3, 3.1};
  CHECK(moments_like(probes, 4, 3) == Moments{0, 2, 3, 4});
  CHECK(moments_like(probes, 4, 4) == Moments{0, 2, 3, 4});
  CHECK(moments_like(probes, 4, 5) == Moments{0, 1, 2, 3, 4, 5});
  CHECK(moments_like(probes, 10, 1) == Moments{1});
  CHECK(moments_like(probes, 100, 0).empty());
}

}  // namespace calibrate_start_test
