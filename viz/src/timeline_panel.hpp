// SPDX-License-Identifier: MIT

#pragma once

#include <string>
#include <vector>

#include "bracket/viz/picture.hpp"
#include "time_axis.hpp"
#include "timed_schedule.hpp"
#include "timeline_rows.hpp"

namespace bracket::viz {

/// The timeline in a picture: a row for each rank or group of ranks.
class TimelinePanel {
 public:
  TimelinePanel(const TimedSchedule& schedule, std::vector<TimelineRow> rows);

  /// Width of the labels to the left of the rows.
  [[nodiscard]] double label_width() const;

  /// Whether some rows stand for several ranks.
  [[nodiscard]] bool merged() const;

  /// Whether each message has a line.
  [[nodiscard]] bool has_messages() const;

  /// Draws the rows from `top` down and the time axis below. Returns where the next thing may
  /// begin.
  double draw(Picture& picture, const TimeAxis& axis, double top) const;

 private:
  [[nodiscard]] double pitch() const;
  [[nodiscard]] double middle(std::size_t row, double top) const;
  [[nodiscard]] std::size_t row_of(Rank rank) const;
  [[nodiscard]] std::size_t bars_of(const TimelineRow& row) const;
  void draw_labels(Picture& picture, const TimeAxis& axis, double top) const;
  void draw_bars(Picture& picture, const TimeAxis& axis, const TimelineRow& row, double low) const;
  void draw_shares(Picture& picture, const TimeAxis& axis, const TimelineRow& row,
                   double low) const;
  void draw_messages(Picture& picture, const TimeAxis& axis, double top) const;
  void draw_path(Picture& picture, const TimeAxis& axis, double top) const;
  [[nodiscard]] std::string tooltip(const BusyTime& busy, const TimeScale& scale) const;

  const TimedSchedule& schedule_;
  std::vector<TimelineRow> rows_;
  std::size_t most_bars_;  // in a row with a bar for each time
};

class Legend;

/// Adds what the colours of busy times and the critical path mean.
void add_activities(Legend& legend, const ScheduleTimes& times);

}  // namespace bracket::viz
