// SPDX-License-Identifier: MIT

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bracket/viz/schedule_times.hpp"

namespace bracket::viz {

/// A schedule and its times, with the place of each step's time. Keeps references to both.
class TimedSchedule {
 public:
  /// Throws `Error` as `ScheduleGraph` does, and if the times belong to another schedule.
  TimedSchedule(const Schedule& schedule, const ScheduleTimes& times);

  [[nodiscard]] const Schedule& schedule() const { return graph_.schedule(); }
  [[nodiscard]] const ScheduleGraph& graph() const { return graph_; }
  [[nodiscard]] const ScheduleTimes& times() const { return times_; }
  [[nodiscard]] Rank ranks() const { return schedule().ranks(); }

  /// The busy times of ranks `first` to `last`.
  [[nodiscard]] std::span<const BusyTime> busy(Rank first, Rank last) const {
    const std::size_t begin = first_[static_cast<std::size_t>(first)];
    return std::span(times_.busy)
        .subspan(begin, first_[static_cast<std::size_t>(last) + 1] - begin);
  }

  /// The busy time of a message's end, or null.
  [[nodiscard]] const BusyTime* of(StepId step) const {
    return place_[step] == times_.busy.size() ? nullptr : &times_.busy[place_[step]];
  }

  /// Bytes of the message that a step sends or receives.
  [[nodiscard]] double bytes(StepId step) const;

  /// Whether the critical path visits the time at this place in `times().busy`.
  [[nodiscard]] bool is_critical(std::size_t place) const { return critical_[place]; }

 private:
  ScheduleGraph graph_;
  const ScheduleTimes& times_;
  std::vector<std::size_t> first_;  // of each rank in `busy`, and the number of all
  std::vector<std::size_t> place_;  // of each step in `busy`
  std::vector<bool> critical_;      // of each busy time
};

}  // namespace bracket::viz
