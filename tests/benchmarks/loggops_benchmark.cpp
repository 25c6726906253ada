// SPDX-License-Identifier: MIT

// Time of the LogGOPS engine for a schedule of 1 024 elements per rank: a reduce to rank 0, or an
// all-reduce by `butterfly`.
// `workload` makes the schedule and the data for the replay, `replay` replays it. An operation is
// one end of a message or a computation between two of them.

#include <benchmark/benchmark.h>

#include <string>

#include "bracket/simulator/loggops.hpp"

namespace {

using namespace bracket;

class Subject {
 public:
  Subject(const std::string& plan, Rank ranks)
      : order_(make_order("tree", Index{1024} * ranks)),
        distribution_(make_distribution("upper", order_.elements(), ranks)),
        plan_(make_plan(plan)),
        problem_{order_, distribution_,
                 plan == "butterfly" ? Delivery::to_all() : Delivery::to(0)} {}

  [[nodiscard]] Workload workload() const { return {problem_, *plan_, machine_}; }
  [[nodiscard]] const Machine& machine() const { return machine_; }

 private:
  Machine machine_;
  Order order_;
  Distribution distribution_;
  std::unique_ptr<Plan> plan_;
  Problem problem_;
};

void count(benchmark::State& state, const Workload& workload) {
  state.counters["operations"] = static_cast<double>(workload.operations().size());
  state.counters["operations/s"] =
      benchmark::Counter(static_cast<double>(workload.operations().size()),
                         benchmark::Counter::kIsIterationInvariantRate);
}

void make_workload(benchmark::State& state, const std::string& plan, Rank ranks) {
  const Subject subject(plan, ranks);
  for (auto _ : state) benchmark::DoNotOptimize(subject.workload().operations().data());
  count(state, subject.workload());
}

void replay(benchmark::State& state, const std::string& plan, Rank ranks) {
  const Subject subject(plan, ranks);
  const Workload workload = subject.workload();
  for (auto _ : state) {
    benchmark::DoNotOptimize(replay_loggops(workload, subject.machine()).makespan);
  }
  count(state, workload);
}

}  // namespace

int main(int argc, char** argv) {
  for (const std::string plan : {"binomial", "direct", "aggregated", "butterfly"}) {
    for (const Rank ranks : {1 << 10, 1 << 14, 1 << 18, 1 << 20}) {
      if (plan == "butterfly" && ranks == 1 << 20) continue;
      const std::string suffix = "/" + plan + "/ranks:" + std::to_string(ranks);
      const auto add = [&](const char* name, auto measure) {
        benchmark::RegisterBenchmark((name + suffix).c_str(), [=](benchmark::State& state) {
          measure(state, plan, ranks);
        })->Unit(benchmark::kMillisecond);
      };
      add("workload", make_workload);
      add("replay", replay);
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
