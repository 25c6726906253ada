// SPDX-License-Identifier: MIT

#include "draw/engine_times.hpp"

#include <algorithm>
#include <vector>

#include "models/cost_models.hpp"
#include "models/prediction.hpp"

namespace bracket::tools {

namespace {

/// The step of each operation; `no_step` for one that computes.
std::vector<StepId> steps_of(const Schedule& schedule, const Workload& workload) {
  std::vector<StepId> steps;
  steps.reserve(workload.operations().size());
  StepId first = 0;
  for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
    const auto& part = schedule.parts[static_cast<std::size_t>(rank)].steps();
    auto step = part.begin();
    for (const auto& operation : workload.operations(rank)) {
      if (operation.kind() == Workload::Kind::compute) {
        steps.push_back(no_step);
        continue;
      }
      // Messages of a workload have the sequence of the schedule's.
      step = std::find_if(step, part.end(), [](const Step& one) { return one.is_message(); });
      steps.push_back(first + static_cast<StepId>(step - part.begin()));
      ++step;
    }
    first += static_cast<StepId>(part.size());
  }
  return steps;
}

BusyTime busy_time(const Interval& interval, const Workload& workload,
                   const std::vector<StepId>& steps) {
  BusyTime busy{interval.rank, Activity::compute, seconds_of(interval.start),
                seconds_of(interval.end), no_step};
  if (interval.kind == Workload::Kind::send) {
    busy.activity = Activity::send;
    busy.step = steps[interval.send];
  } else if (interval.kind == Workload::Kind::recv) {
    busy.activity = Activity::recv;
    busy.step = steps[workload.operations()[interval.send].partner];
  }
  return busy;
}

}  // namespace

ScheduleTimes engine_times(const Schedule& schedule, const std::string& engine,
                           const Conditions& conditions) {
  const Scenario scenario(schedule, conditions);
  const Prediction prediction = predict(model_of(Role::engine, engine), scenario);
  const Workload& workload = scenario.workload();
  const std::vector<StepId> steps = steps_of(schedule, workload);
  ScheduleTimes times{
      "the engine " + engine, prediction.makespan, conditions.machine.value_bytes, {}, {}};
  for (const Interval& interval : prediction.timeline.value()) {
    const bool nothing = interval.kind == Workload::Kind::compute && interval.start == interval.end;
    if (!nothing) times.busy.push_back(busy_time(interval, workload, steps));
  }
  std::stable_sort(times.busy.begin(), times.busy.end(),
                   [](const BusyTime& a, const BusyTime& b) { return a.rank < b.rank; });
  times.critical_path = path_back(ScheduleGraph(schedule), times);
  return times;
}

}  // namespace bracket::tools
