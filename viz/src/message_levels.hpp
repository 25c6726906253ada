// SPDX-License-Identifier: MIT

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "timed_schedule.hpp"

namespace bracket::viz {

/// The level of each step: for a message's ends, the messages of the longest chain that ends with
/// it, each of which starts on the rank where the one before it ends, and after that. 0 for a step
/// before all messages.
std::vector<std::uint32_t> message_levels(const ScheduleGraph& graph);

/// The messages of some levels.
struct LevelSums {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  Index messages = 0;
  double bytes = 0;
  Rank ranks = 0;    ///< that send or receive
  double start = 0;  ///< seconds; start of the first send
  double end = 0;    ///< seconds; end of the last receive
};

/// Sums over at most `most` rows of levels, each with nearly the same number of levels.
std::vector<LevelSums> sums_of_levels(const TimedSchedule& schedule, std::size_t most);

}  // namespace bracket::viz
