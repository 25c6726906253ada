// SPDX-License-Identifier: MIT

#include "levels_panel.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bracket/support/text.hpp"
#include "looks.hpp"

namespace bracket::viz {

namespace {

constexpr Picture::Look level_look{"level", "#cc79a7"};
constexpr Picture::Look track_look{"track", "#f4f4f4"};
constexpr Picture::Look count_look{"count", "#bdbdbd"};
constexpr Picture::Font head{9, true, Picture::Anchor::end};

std::string name_of(const LevelSums& row) {
  return row.first == row.last ? text(row.first) : text(row.first, "–", row.last);
}

}  // namespace

std::string bytes_in_words(double bytes) {
  constexpr std::pair<double, const char*> units[] = {
      {1e15, "PB"}, {1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}};
  for (const auto& [size, name] : units) {
    if (bytes < size) continue;
    const double shown = bytes / size;
    return text(shown < 100 ? std::round(shown * 10) / 10 : std::round(shown), ' ', name);
  }
  return text(bytes, " B");
}

double LevelsPanel::draw(Picture& picture, const TimeAxis& axis, double top, bool ticks) const {
  constexpr double pitch = 14;
  // Right ends of the columns, to the left of the axis.
  const double ranks = axis.left() - 12;
  const double bytes = ranks - 62;
  const double messages = bytes - 62;
  const double bars = messages - 62;  // of the numbers of messages
  const double level = bars - 72;
  constexpr double longest = 64;
  for (const auto& [x, name] : {std::pair(level, "level"), std::pair(messages, "messages"),
                                std::pair(bytes, "bytes"), std::pair(ranks, "ranks")}) {
    picture.words({x, top - 5}, name, head);
  }
  Index most = 1;
  for (const LevelSums& row : rows_) most = std::max(most, row.messages);
  const double bottom = top + pitch * static_cast<double>(rows_.size());
  if (rows_.empty()) {
    picture.words({axis.left(), top + 10}, "no messages", plain);
    return top + pitch + 8;
  }
  for (double y = top; y + pitch / 2 < bottom; y += pitch) {
    picture.rectangle({axis.left(), y + 1}, axis.right() - axis.left(), pitch - 2, track_look);
  }
  if (ticks) axis.draw(picture, top, bottom);
  double y = top;
  for (const LevelSums& row : rows_) {
    const double base = y + 10;
    picture.words({level, base}, name_of(row), to_the_right);
    const double share = static_cast<double>(row.messages) / static_cast<double>(most);
    picture.rectangle({bars - longest, y + 3}, longest * share, pitch - 6, count_look);
    picture.words({messages, base}, text(row.messages), to_the_right);
    picture.words({bytes, base}, bytes_in_words(row.bytes), to_the_right);
    picture.words({ranks, base}, text(row.ranks), to_the_right);
    const double x = axis.x_of(row.start);
    const TimeScale& scale = axis.scale();
    picture.rectangle({x, y + 2}, axis.x_of(row.end) - x, pitch - 4, level_look,
                      text("level ", name_of(row), ": ", row.messages, " messages, ",
                           static_cast<Index>(row.bytes), " bytes, ", row.ranks, " of ", ranks_,
                           " ranks, ", scale.number(row.start), " – ", scale.with_unit(row.end)));
    y += pitch;
  }
  return bottom + (ticks ? 34 : 8);
}

}  // namespace bracket::viz
