// SPDX-License-Identifier: MIT

#include "timeline_panel.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "bracket/support/text.hpp"
#include "looks.hpp"
#include "path_lines.hpp"
#include "time_shares.hpp"

namespace bracket::viz {

namespace {

constexpr std::size_t most_bars_in_all = 1500;
constexpr Index most_messages = 150;
constexpr double label_size = 9;
constexpr double label_pitch = 11;  // least distance between labels

constexpr Picture::Look row_look{"row", "#f4f4f4"};
constexpr Picture::Look message_look{"message", {}, "#616161", 0.7};
constexpr Picture::Look halo_look{"halo", {}, "#ffffff", 4};
constexpr Picture::Look path_look{"path critical", {}, highlight, 2};
constexpr Picture::Look pieces_look{"path critical pieces", {}, highlight, 4};

}  // namespace

TimelinePanel::TimelinePanel(const TimedSchedule& schedule, std::vector<TimelineRow> rows)
    : schedule_(schedule), rows_(std::move(rows)) {
  std::size_t bars = 0;
  std::size_t singles = 0;
  for (const TimelineRow& row : rows_) {
    if (!row.single()) continue;
    bars += bars_of(row);
    ++singles;
  }
  most_bars_ = bars <= most_bars_in_all ? most_bars_in_all : most_bars_in_all / singles;
}

std::size_t TimelinePanel::bars_of(const TimelineRow& row) const {
  return schedule_.busy(row.first, row.last).size();
}

double TimelinePanel::label_width() const {
  double widest = width_of_words("ranks", label_size);
  for (const TimelineRow& row : rows_) {
    widest = std::max(widest, width_of_words(row.label(), label_size));
  }
  return widest + 8;
}

bool TimelinePanel::merged() const {
  return std::any_of(rows_.begin(), rows_.end(), [](auto& row) { return !row.single(); });
}

bool TimelinePanel::has_messages() const {
  return !merged() && schedule_.schedule().messages() <= most_messages;
}

double TimelinePanel::pitch() const {
  return std::clamp(640 / static_cast<double>(rows_.size()), merged() ? 12.0 : 8.0, 24.0);
}

double TimelinePanel::middle(std::size_t row, double top) const {
  return top + (static_cast<double>(row) + 0.5) * pitch();
}

std::size_t TimelinePanel::row_of(Rank rank) const {
  const auto behind = std::upper_bound(rows_.begin(), rows_.end(), rank,
                                       [](Rank one, const auto& row) { return one < row.first; });
  return static_cast<std::size_t>(behind - rows_.begin()) - 1;
}

double TimelinePanel::draw(Picture& picture, const TimeAxis& axis, double top) const {
  const double bottom = top + pitch() * static_cast<double>(rows_.size());
  draw_labels(picture, axis, top);
  axis.draw(picture, top, bottom);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const double low = middle(i, top) + pitch() / 2 - 1;
    if (rows_[i].single() && bars_of(rows_[i]) <= most_bars_) {
      draw_bars(picture, axis, rows_[i], low);
    } else {
      draw_shares(picture, axis, rows_[i], low);
    }
  }
  if (has_messages()) draw_messages(picture, axis, top);
  draw_path(picture, axis, top);
  return bottom + 34;
}

void TimelinePanel::draw_labels(Picture& picture, const TimeAxis& axis, double top) const {
  const double x = axis.left() - 6;
  picture.words({x, top - 5}, merged() ? "ranks" : "rank", to_the_right);
  const auto every = static_cast<std::size_t>(std::ceil(label_pitch / pitch()));
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const TimelineRow& row = rows_[i];
    picture.rectangle({axis.left(), middle(i, top) - pitch() / 2 + 1}, axis.right() - axis.left(),
                      pitch() - 2, row_look, text(row.single() ? "rank " : "ranks ", row.label()));
    if (i % every != 0) continue;
    picture.words({x, middle(i, top) + 3.2}, row.label(),
                  row.critical ? critical_label : to_the_right);
  }
}

void TimelinePanel::draw_bars(Picture& picture, const TimeAxis& axis, const TimelineRow& row,
                              double low) const {
  const auto all = schedule_.busy(row.first, row.last);
  const auto first = static_cast<std::size_t>(all.data() - schedule_.times().busy.data());
  const double height = pitch() - 2;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const ActivityLook& look = look_of(all[i].activity);
    const double x = axis.x_of(all[i].start);
    picture.rectangle({x, low - height}, axis.x_of(all[i].end) - x, height,
                      schedule_.is_critical(first + i) ? look.critical : look.bar,
                      tooltip(all[i], axis.scale()));
  }
}

void TimelinePanel::draw_shares(Picture& picture, const TimeAxis& axis, const TimelineRow& row,
                                double low) const {
  constexpr double bin = 2;
  const double width = axis.right() - axis.left();
  TimeShares shares(static_cast<std::size_t>(width / bin));
  for (const BusyTime& busy : schedule_.busy(row.first, row.last)) {
    shares.add(busy.activity, (axis.x_of(busy.start) - axis.left()) / bin,
               (axis.x_of(busy.end) - axis.left()) / bin);
  }
  const double height = pitch() - 2;
  const auto stacks = shares.stacks(row.ranks(), height);
  // The area of an activity reaches down to the bottom, and those below it cover it.
  for (int activity = activities - 1; activity >= 0; --activity) {
    Picture::Contours contours;
    const auto& stack = stacks[static_cast<std::size_t>(activity)];
    for (std::size_t i = 0; i < stack.size();) {
      if (stack[i] == 0) {
        ++i;
        continue;
      }
      const auto x = [&](std::size_t at) { return axis.left() + bin * static_cast<double>(at); };
      std::vector<Picture::Point> contour{{x(i), low}};
      for (; i < stack.size() && stack[i] > 0; ++i) {
        if (contour.size() == 1 || contour.back().y != low - stack[i]) {
          if (contour.size() > 1) contour.push_back({x(i), contour.back().y});
          contour.push_back({x(i), low - stack[i]});
        }
      }
      contour.push_back({x(i), contour.back().y});
      contour.push_back({x(i), low});
      contours.push_back(std::move(contour));
    }
    if (contours.empty()) continue;
    const ActivityLook& look = look_of(static_cast<Activity>(activity));
    picture.areas(contours, look.share,
                  text(row.single() ? "rank " : "ranks ", row.label(), ": ", look.words));
  }
}

void TimelinePanel::draw_messages(Picture& picture, const TimeAxis& axis, double top) const {
  const ScheduleGraph& graph = schedule_.graph();
  for (StepId id = 0; id < graph.size(); ++id) {
    if (graph.step(id).kind != StepKind::send) continue;
    const BusyTime* const send = schedule_.of(id);
    const BusyTime* const recv = schedule_.of(graph.partner(id));
    if (send == nullptr || recv == nullptr) continue;
    picture.line(
        {{axis.x_of(send->end), middle(row_of(send->rank), top)},
         {axis.x_of(recv->start), middle(row_of(recv->rank), top)}},
        message_look,
        text("from ", send->rank, " to ", recv->rank, ", ", schedule_.bytes(id), " bytes"));
  }
}

void TimelinePanel::draw_path(Picture& picture, const TimeAxis& axis, double top) const {
  const ScheduleTimes& times = schedule_.times();
  std::vector<Picture::Point> points;
  for (const std::size_t place : times.critical_path) {
    const BusyTime& busy = times.busy[place];
    const double y = middle(row_of(busy.rank), top);
    points.push_back({axis.x_of(busy.start), y});
    points.push_back({axis.x_of(busy.end), y});
  }
  if (points.empty()) return;
  const Picture::Contours lines = path_lines(points);
  if (lines.size() == 1) picture.lines(lines, halo_look);
  picture.lines(lines, lines.size() == 1 ? path_look : pieces_look,
                text("critical path: ", times.critical_path.size(), " steps, ",
                     axis.scale().with_unit(times.makespan)));
}

std::string TimelinePanel::tooltip(const BusyTime& busy, const TimeScale& scale) const {
  std::string words = text("rank ", busy.rank, ": ");
  const ScheduleGraph& graph = schedule_.graph();
  if (busy.step == no_step) {
    words += look_of(busy.activity).words;
  } else if (const Step& step = graph.step(busy.step); step.is_message()) {
    words += text(step.kind == StepKind::send ? "send to " : "receive from ", step.peer, ", ",
                  schedule_.bytes(busy.step), " bytes");
  } else {
    const auto rank = static_cast<std::size_t>(busy.rank);
    words += describe(schedule_.schedule().parts[rank], step);
  }
  return words + text(", ", scale.number(busy.start), " – ", scale.with_unit(busy.end));
}

void add_activities(Legend& legend, const ScheduleTimes& times) {
  std::array<bool, activities> seen{};
  for (const BusyTime& busy : times.busy) seen[static_cast<std::size_t>(busy.activity)] = true;
  for (int activity = 0; activity < activities; ++activity) {
    if (!seen[static_cast<std::size_t>(activity)]) continue;
    const ActivityLook& look = look_of(static_cast<Activity>(activity));
    legend.add(look.bar, look.words);
  }
  legend.add(row_look, "waiting");
  if (const std::size_t steps = times.critical_path.size(); steps > 0) {
    legend.add(path_look, text("critical path: ", steps, steps == 1 ? " step" : " steps"));
  }
}

}  // namespace bracket::viz
