// SPDX-License-Identifier: MIT

#pragma once

#include <vector>

#include "bracket/viz/picture.hpp"
#include "message_levels.hpp"
#include "time_axis.hpp"

namespace bracket::viz {

/// A table of levels with the time of each on the time axis.
class LevelsPanel {
 public:
  LevelsPanel(const TimedSchedule& schedule, std::size_t most_rows)
      : rows_(sums_of_levels(schedule, most_rows)), ranks_(schedule.ranks()) {}

  /// Width of the columns to the left of the time axis.
  static constexpr double table_width = 330;

  /// Draws the heads of the columns at `top`, and the rows below; the time axis too if `ticks`.
  /// Returns where the next thing may begin.
  double draw(Picture& picture, const TimeAxis& axis, double top, bool ticks) const;

 private:
  std::vector<LevelSums> rows_;
  Rank ranks_;
};

/// Bytes in words, such as "12.5 kB".
std::string bytes_in_words(double bytes);

}  // namespace bracket::viz
