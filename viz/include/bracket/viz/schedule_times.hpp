// SPDX-License-Identifier: MIT

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "bracket/model/loggp.hpp"
#include "bracket/model/schedule.hpp"
#include "bracket/model/schedule_graph.hpp"

namespace bracket {

/// What a rank does in a picture of time.
enum class Activity : std::uint8_t {
  fold,
  join,
  copy,     ///< the computing that a message needs
  compute,  ///< folds, combinations and copies, as simulation engines know them
  send,
  recv
};
inline constexpr int activities = 6;  ///< number of members of `Activity`

/// A time in which a rank is busy.
struct BusyTime {
  Rank rank = 0;
  Activity activity = Activity::compute;
  double start = 0;       ///< seconds
  double end = 0;         ///< seconds
  StepId step = no_step;  ///< unless it stands for several steps, or for a copy
};

/// When the ranks of a schedule are busy, by a cost model or by an engine.
struct ScheduleTimes {
  std::string source;          ///< in words: "LogGP"
  double makespan = 0;         ///< seconds
  Index value_bytes = 8;       ///< bytes of one number in a message
  std::vector<BusyTime> busy;  ///< rank by rank, those of one rank in sequence
  /// Positions in `busy` from the first to the last, each of which waits for the one before it.
  std::vector<std::size_t> critical_path;
};

/// The times and the critical path of `paper_cost`. Throws `Error` as that does.
ScheduleTimes paper_times(const Schedule& schedule, const Machine& machine);

/// The path that ends with the last busy time and goes back from each time to the one that it
/// waited for: from a receive that its rank idled for, to the send; otherwise to the time before it
/// on the same rank. For times without known causes.
std::vector<std::size_t> path_back(const ScheduleGraph& graph, const ScheduleTimes& times);

}  // namespace bracket
