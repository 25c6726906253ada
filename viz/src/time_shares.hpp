// SPDX-License-Identifier: MIT

#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "bracket/viz/schedule_times.hpp"

namespace bracket::viz {

/// How the busy times of some ranks share equal pieces of a time axis. A time takes O(1).
class TimeShares {
 public:
  /// `pieces` ≥ 1.
  explicit TimeShares(std::size_t pieces);

  /// Adds a time of one rank, from one place to another, in pieces.
  void add(Activity activity, double start, double end);

  /// For each activity and piece: the height, rounded to a half, up to which this activity and
  /// those before it reach if `ranks` busy ranks reach `height`. It is 0 if the activity adds
  /// nothing to it.
  [[nodiscard]] std::array<std::vector<double>, activities> stacks(Rank ranks, double height) const;

 private:
  /// Sums of pieces: parts of a piece, and changes of the number of ranks that are busy in all of
  /// it.
  struct Sums {
    std::vector<double> parts;
    std::vector<double> changes;
  };

  std::size_t pieces_;
  std::array<Sums, activities> sums_;
};

}  // namespace bracket::viz
