// SPDX-License-Identifier: MIT

#include "matrix_panel.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>

#include "bracket/support/text.hpp"
#include "levels_panel.hpp"
#include "looks.hpp"
#include "time_scale.hpp"

namespace bracket::viz {

namespace {

/// From few bytes to many: the darker, the more.
constexpr Picture::Look shades[] = {{"cell few", "#9ecae1"},
                                    {"cell some", "#6baed6"},
                                    {"cell middling", "#3182bd"},
                                    {"cell many", "#08519c"},
                                    {"cell most", "#06254a"}};
constexpr Picture::Look frame_look{"frame", {}, "#616161", 0.8};
constexpr Picture::Look diagonal_look{"diagonal", {}, "#d0d0d0", 0.6};

Rank rounded_up(Rank ranks, Rank width) { return (ranks - 1) / width + 1; }

}  // namespace

MatrixPanel::MatrixPanel(const TimedSchedule& schedule, Rank most_bins, std::size_t most_cells)
    : ranks_(schedule.ranks()) {
  const ScheduleGraph& graph = schedule.graph();
  std::vector<StepId> sends;
  for (StepId id = 0; id < graph.size(); ++id) {
    if (graph.step(id).kind == StepKind::send) sends.push_back(id);
  }
  const auto key_of = [&](StepId send) {
    const auto row = static_cast<std::uint64_t>(graph.place(send).rank / width_);
    const auto column = static_cast<std::uint64_t>(graph.step(send).peer / width_);
    return row << 32 | column;
  };
  for (width_ = rounded_up(ranks_, most_bins);; width_ *= 2) {
    // The cells of each row of bins follow each other, since sends come rank by rank.
    std::vector<std::uint64_t> keys;
    for (const StepId send : sends) keys.push_back(key_of(send));
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    if (keys.size() > most_cells && width_ < ranks_) continue;
    for (const std::uint64_t key : keys) {
      cells_.push_back({static_cast<Rank>(key >> 32), static_cast<Rank>(key & 0xFFFFFFFF)});
    }
    for (const StepId send : sends) {
      const auto place = std::lower_bound(keys.begin(), keys.end(), key_of(send)) - keys.begin();
      Cell& cell = cells_[static_cast<std::size_t>(place)];
      ++cell.messages;
      cell.bytes += schedule.bytes(send);
    }
    break;
  }
  bins_ = rounded_up(ranks_, width_);
  if (cells_.empty()) return;
  const auto less = [](const Cell& a, const Cell& b) { return a.bytes < b.bytes; };
  least_ = std::min_element(cells_.begin(), cells_.end(), less)->bytes;
  most_ = std::max_element(cells_.begin(), cells_.end(), less)->bytes;
}

std::string MatrixPanel::words() const {
  std::string words = "Bytes from each sender (down) to each receiver (across)";
  if (width_ > 1) words += text(", ranks in groups of ", width_);
  return words;
}

std::string MatrixPanel::ranks_of(Rank bin) const {
  const Rank first = bin * width_;
  const Rank last = std::min(ranks_, first + width_) - 1;
  return first == last ? text(first) : text(first, "–", last);
}

/// Shades divide the bytes geometrically.
std::size_t MatrixPanel::shade_of(double bytes) const {
  constexpr std::size_t count = std::size(shades);
  if (!(most_ > least_) || !(least_ > 0)) return count - 2;
  const double place = std::log(bytes / least_) / std::log(most_ / least_);
  return std::min(count - 1, static_cast<std::size_t>(place * count));
}

double MatrixPanel::draw(Picture& picture, Picture::Point at, double side) const {
  constexpr double largest = 48;
  const double size = std::min(side / bins_, largest);
  side = size * bins_;
  draw_axes(picture, at, size);
  for (const Cell& cell : cells_) {
    picture.rectangle({at.x + size * cell.column, at.y + size * cell.row}, size, size,
                      shades[shade_of(cell.bytes)],
                      text(ranks_of(cell.row), " to ", ranks_of(cell.column), ": ", cell.messages,
                           cell.messages == 1 ? " message, " : " messages, ",
                           static_cast<Index>(cell.bytes), " bytes"));
  }
  if (!cells_.empty()) draw_scale(picture, {at.x + side + 24, at.y + 12});
  constexpr double height_of_scale = 100;
  return at.y + std::max(side, cells_.empty() ? 0.0 : height_of_scale) + 24;
}

void MatrixPanel::draw_axes(Picture& picture, Picture::Point at, double size) const {
  const double side = size * bins_;
  picture.line({at, {at.x + side, at.y + side}}, diagonal_look);
  picture.line({at, {at.x + side, at.y}, {at.x + side, at.y + side}, {at.x, at.y + side}, at},
               frame_look);
  const auto step = static_cast<Rank>(std::max(1.0, round_step(ranks_ / 8.0)));
  const double per_rank = size / width_;
  for (Index rank = 0; rank < ranks_; rank += step) {
    const double along = (static_cast<double>(rank) + 0.5) * per_rank;
    picture.words({at.x + along, at.y - 5}, text(rank), centred);
    picture.words({at.x - 5, at.y + along + 3.2}, text(rank), to_the_right);
  }
}

void MatrixPanel::draw_scale(Picture& picture, Picture::Point at) const {
  picture.words(at, "bytes in a cell", {9, true});
  const std::size_t count = most_ > least_ ? std::size(shades) : 1;
  for (std::size_t i = 0; i < count; ++i) {
    at.y += 15;
    const auto border = [&](std::size_t k) {
      const double part = static_cast<double>(k) / static_cast<double>(count);
      return std::round(least_ * std::pow(most_ / least_, part));
    };
    const std::string range =
        count == 1 ? bytes_in_words(most_)
                   : bytes_in_words(border(i)) + " – " + bytes_in_words(border(i + 1));
    picture.rectangle({at.x, at.y - 8}, 12, 9, {shades[count == 1 ? shade_of(most_) : i]});
    picture.words({at.x + 18, at.y}, range, plain);
  }
}

}  // namespace bracket::viz
