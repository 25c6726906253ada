// SPDX-License-Identifier: MIT

#include "bracket/viz/schedule_pictures.hpp"

#include <algorithm>
#include <string>

#include "bracket/support/text.hpp"
#include "levels_panel.hpp"
#include "looks.hpp"
#include "matrix_panel.hpp"
#include "schedule_titles.hpp"
#include "timeline_panel.hpp"

namespace bracket {

namespace {

constexpr double page_width = 1000;
constexpr double margin = 20;
constexpr double right_end = page_width - 24;
constexpr double matrix_side = 420;
constexpr Rank most_bins = 128;

/// A picture from the top down: the title, then panels with a heading each.
class Page {
 public:
  explicit Page(const viz::TimedSchedule& schedule)
      : schedule_(schedule), picture_(viz::title_of(schedule.schedule()), page_width, 0) {
    picture_.words({margin, 26}, viz::title_of(schedule.schedule()), viz::heading);
    const viz::TimeScale scale(schedule.times().makespan);
    picture_.words({margin, 43},
                   viz::facts_of(schedule.schedule()) + ", makespan by " + schedule.times().source +
                       ": " + scale.with_unit(schedule.times().makespan),
                   viz::plain);
  }

  void add_legend() {
    viz::Legend legend(picture_, {margin, y_ + 12}, right_end);
    viz::add_activities(legend, schedule_.times());
    y_ = legend.bottom();
  }

  void add_timeline(std::size_t most_rows, double least_left) {
    const viz::TimelinePanel panel(
        schedule_, viz::timeline_rows(schedule_.ranks(), schedule_.times(),
                                      static_cast<std::size_t>(most_rows_of_one_rank), most_rows));
    const viz::TimeAxis axis(schedule_, std::max(least_left, margin + panel.label_width()),
                             right_end);
    std::string words = panel.merged() ? "Timeline of groups of ranks" : "Timeline of each rank";
    if (panel.merged()) {
      words += ": a colour is as high as the share of the ranks that do this";
    }
    add_heading(words);
    y_ = panel.draw(picture_, axis, y_ + 16);
  }

  void add_levels(std::size_t most_rows, bool ticks) {
    const viz::LevelsPanel panel(schedule_, most_rows);
    const viz::TimeAxis axis(schedule_, levels_left, right_end);
    add_heading(
        "Messages by level, their place in the longest chain of messages, from the first "
        "send to the last receive");
    y_ = panel.draw(picture_, axis, y_ + 16, ticks);
  }

  void add_matrix(std::size_t most_cells, double side) {
    const viz::MatrixPanel panel(schedule_, most_bins, most_cells);
    add_heading(panel.words());
    const double left = margin + viz::width_of_words(text(schedule_.ranks()), 9) + 8;
    y_ = panel.draw(picture_, {left, y_ + 18}, side);
  }

  /// Ends the page.
  Picture finish() {
    picture_.set_height(y_ + 8);
    return std::move(picture_);
  }

  static constexpr double levels_left = margin + viz::LevelsPanel::table_width;

 private:
  void add_heading(const std::string& words) {
    picture_.words({margin, y_ + 16}, words, viz::subheading);
    y_ += 24;
  }

  const viz::TimedSchedule& schedule_;
  Picture picture_;
  double y_ = 52;  // where the next panel begins
};

}  // namespace

Picture timeline_picture(const Schedule& schedule, const ScheduleTimes& times) {
  const viz::TimedSchedule timed(schedule, times);
  Page page(timed);
  page.add_legend();
  page.add_timeline(64, 0);
  return page.finish();
}

Picture matrix_picture(const Schedule& schedule, const ScheduleTimes& times) {
  const viz::TimedSchedule timed(schedule, times);
  Page page(timed);
  page.add_matrix(3000, 720);
  return page.finish();
}

Picture levels_picture(const Schedule& schedule, const ScheduleTimes& times) {
  const viz::TimedSchedule timed(schedule, times);
  Page page(timed);
  page.add_levels(64, true);
  return page.finish();
}

Picture overview_picture(const Schedule& schedule, const ScheduleTimes& times) {
  const viz::TimedSchedule timed(schedule, times);
  Page page(timed);
  page.add_levels(24, false);
  page.add_legend();
  page.add_timeline(48, Page::levels_left);
  page.add_matrix(1500, matrix_side);
  return page.finish();
}

}  // namespace bracket
