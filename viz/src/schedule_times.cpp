// SPDX-License-Identifier: MIT

#include "bracket/viz/schedule_times.hpp"

#include <algorithm>

namespace bracket {

namespace {

Activity activity_of(StepKind kind) {
  switch (kind) {
    case StepKind::fold:
      return Activity::fold;
    case StepKind::join:
      return Activity::join;
    case StepKind::send:
      return Activity::send;
    default:
      return Activity::recv;
  }
}

}  // namespace

ScheduleTimes paper_times(const Schedule& schedule, const Machine& machine) {
  std::vector<StepTime> steps;
  const PaperCost cost = paper_cost(schedule, machine, {}, &steps);
  ScheduleTimes times{"LogGP", cost.makespan, machine.value_bytes, {}, {}};
  times.busy.reserve(steps.size());
  std::vector<std::size_t> place(steps.size());  // of each step, in `busy`
  std::vector<StepId> first(schedule.parts.size());
  StepId id = 0;
  for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
    first[static_cast<std::size_t>(rank)] = id;
    double free = -1;  // when the rank has done the step before
    for (const Step& step : schedule.parts[static_cast<std::size_t>(rank)].steps()) {
      const auto [start, end, before] = steps[id];
      if (before > 0) {
        const double begin = free < 0 ? start - before : free;
        times.busy.push_back({rank, Activity::copy, begin, begin + before, no_step});
      }
      place[id] = times.busy.size();
      times.busy.push_back({rank, activity_of(step.kind), start, end, id});
      free = end;
      ++id;
    }
  }
  for (const CriticalStep& step : cost.critical_path) {
    const StepId on_path =
        first[static_cast<std::size_t>(step.rank)] + static_cast<StepId>(step.step);
    times.critical_path.push_back(place[on_path]);
  }
  return times;
}

std::vector<std::size_t> path_back(const ScheduleGraph& graph, const ScheduleTimes& times) {
  const auto& busy = times.busy;
  if (busy.empty()) return {};
  std::vector<std::size_t> place(graph.size(), busy.size());
  for (std::size_t i = 0; i < busy.size(); ++i) {
    if (busy[i].step != no_step) place[busy[i].step] = i;
  }
  const auto ends_sooner = [](const BusyTime& a, const BusyTime& b) { return a.end < b.end; };
  auto at = static_cast<std::size_t>(std::max_element(busy.begin(), busy.end(), ends_sooner) -
                                     busy.begin());
  std::vector<std::size_t> path{at};
  // A path has each busy time at most once, unless times are inconsistent.
  while (path.size() <= busy.size()) {
    const BusyTime& here = busy[at];
    const bool follows = at > 0 && busy[at - 1].rank == here.rank;
    const bool idled = !follows || busy[at - 1].end < here.start;
    std::size_t cause = busy.size();
    if (here.activity == Activity::recv && here.step != no_step && idled) {
      cause = place[graph.partner(here.step)];
    }
    if (cause == busy.size() && follows) cause = at - 1;
    if (cause == busy.size()) break;
    at = cause;
    path.push_back(at);
  }
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace bracket
