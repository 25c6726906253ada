// SPDX-License-Identifier: MIT

#pragma once

#include "bracket/viz/picture.hpp"
#include "time_scale.hpp"
#include "timed_schedule.hpp"

namespace bracket::viz {

/// The axis across a picture, from 0 to the makespan. If the ranks compute for most of it before
/// the first message is received, that time is shorter in the picture than it is, so that the
/// messages have room.
class TimeAxis {
 public:
  TimeAxis(const TimedSchedule& schedule, double left, double right);

  [[nodiscard]] double x_of(double seconds) const;
  [[nodiscard]] const TimeScale& scale() const { return scale_; }
  [[nodiscard]] double left() const { return left_; }
  [[nodiscard]] double right() const { return right_; }

  /// Draws a line at each tick from `top` down to `bottom`, and its time below.
  void draw(Picture& picture, double top, double bottom) const;

 private:
  void draw_tick(Picture& picture, const TimeScale::Tick& tick, double top, double bottom) const;

  TimeScale scale_;
  double makespan_;
  double left_;
  double right_;
  double change_ = 0;    ///< seconds until the scale changes; 0 if it does not
  double change_x_ = 0;  ///< the place of that
};

}  // namespace bracket::viz
