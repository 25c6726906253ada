// SPDX-License-Identifier: MIT

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bracket/viz/picture.hpp"
#include "timed_schedule.hpp"

namespace bracket::viz {

/// The bytes that each rank sends to each other rank, in bins of ranks.
class MatrixPanel {
 public:
  /// Takes at most `most_bins` bins, and fewer if there would be more than `most_cells` cells with
  /// messages.
  MatrixPanel(const TimedSchedule& schedule, Rank most_bins, std::size_t most_cells);

  /// What the cells are, in words.
  [[nodiscard]] std::string words() const;

  /// Draws the matrix with its left upper corner at `at`, as large as `side` allows, and the scale
  /// of colours to its right. Returns where the next thing may begin.
  double draw(Picture& picture, Picture::Point at, double side) const;

 private:
  struct Cell {
    Rank row = 0;
    Rank column = 0;
    Index messages = 0;
    double bytes = 0;
  };

  [[nodiscard]] std::string ranks_of(Rank bin) const;
  [[nodiscard]] std::size_t shade_of(double bytes) const;
  void draw_axes(Picture& picture, Picture::Point at, double size) const;
  void draw_scale(Picture& picture, Picture::Point at) const;

  Rank ranks_;
  Rank width_ = 1;  // ranks in a bin
  Rank bins_ = 1;
  std::vector<Cell> cells_;  // with messages
  double least_ = 0;         // bytes of a cell
  double most_ = 0;
};

}  // namespace bracket::viz
