// SPDX-License-Identifier: MIT

#include "time_axis.hpp"

#include <algorithm>
#include <string>

#include "looks.hpp"

namespace bracket::viz {

namespace {

constexpr double least_distance = 70;  // between ticks

/// A little before the first receive starts; the makespan without receives.
double before_messages(const ScheduleTimes& times) {
  double first = times.makespan;
  for (const BusyTime& busy : times.busy) {
    if (busy.activity == Activity::recv) first = std::min(first, busy.start);
  }
  constexpr double lead = 0.2;  // as a part of the time after that
  return first - lead * (times.makespan - first);
}

}  // namespace

TimeAxis::TimeAxis(const TimedSchedule& schedule, double left, double right)
    : scale_(schedule.times().makespan),
      makespan_(schedule.times().makespan),
      left_(left),
      right_(right),
      change_x_(left) {
  constexpr double longest_part = 0.5;
  constexpr double drawn_part = 0.2;
  const double first = before_messages(schedule.times());
  if (first < makespan_ && first > longest_part * makespan_) {
    change_ = first;
    change_x_ = left + drawn_part * (right - left);
  }
}

double TimeAxis::x_of(double seconds) const {
  if (!(makespan_ > 0)) return left_;
  if (seconds < change_) return left_ + seconds / change_ * (change_x_ - left_);
  return change_x_ + (seconds - change_) / (makespan_ - change_) * (right_ - change_x_);
}

void TimeAxis::draw_tick(Picture& picture, const TimeScale::Tick& tick, double top,
                         double bottom) const {
  static constexpr Picture::Look look{"tick", {}, "#d0d0d0", 0.6};
  const double x = x_of(tick.seconds);
  picture.line({{x, top}, {x, bottom + 4}}, look);
  picture.words({x, bottom + 14}, tick.label, centred);
}

void TimeAxis::draw(Picture& picture, double top, double bottom) const {
  static constexpr Picture::Look change_look{"change", {}, "#757575", 1.2};
  const auto most = static_cast<int>((right_ - change_x_) / least_distance);
  for (const auto& tick : scale_.ticks(change_, makespan_, most)) {
    draw_tick(picture, tick, top, bottom);
  }
  if (change_ > 0) {
    for (const auto& tick : scale_.ticks(0, change_, 2)) {
      const bool free = tick.seconds == 0 || x_of(tick.seconds) + least_distance / 2 < change_x_;
      if (free) draw_tick(picture, tick, top, bottom);
    }
    picture.line({{change_x_, top - 2}, {change_x_, bottom + 4}}, change_look);
    picture.words({change_x_, top - 5}, "the scale changes", centred);
  }
  picture.words({right_, bottom + 26}, std::string("time [") + scale_.unit() + ']', to_the_right);
}

}  // namespace bracket::viz
