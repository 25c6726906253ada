// SPDX-License-Identifier: MIT

#include "timed_schedule.hpp"

#include "bracket/support/error.hpp"

namespace bracket::viz {

TimedSchedule::TimedSchedule(const Schedule& schedule, const ScheduleTimes& times)
    : graph_(schedule),
      times_(times),
      place_(graph_.size(), times.busy.size()),
      critical_(times.busy.size()) {
  const auto refuse = [] { throw Error("the times belong to another schedule"); };
  first_.reserve(schedule.parts.size() + 1);
  first_.push_back(0);
  for (std::size_t i = 0; i < times.busy.size(); ++i) {
    const BusyTime& busy = times.busy[i];
    if (busy.rank < 0 || busy.rank >= schedule.ranks()) refuse();
    const auto rank = static_cast<std::size_t>(busy.rank);
    if (rank + 1 < first_.size()) refuse();
    while (first_.size() <= rank) first_.push_back(i);
    if (busy.step == no_step) continue;
    if (busy.step >= graph_.size() || graph_.place(busy.step).rank != busy.rank) refuse();
    place_[busy.step] = i;
  }
  while (first_.size() <= schedule.parts.size()) first_.push_back(times.busy.size());
  for (const std::size_t place : times.critical_path) {
    if (place >= times.busy.size()) refuse();
    critical_[place] = true;
  }
}

double TimedSchedule::bytes(StepId step) const {
  const auto [rank, _] = graph_.place(step);
  const RankPart& part = schedule().parts[static_cast<std::size_t>(rank)];
  return static_cast<double>(part.values(graph_.step(step))) *
         static_cast<double>(times_.value_bytes);
}

}  // namespace bracket::viz
