// SPDX-License-Identifier: MIT

#pragma once

#include <span>
#include <vector>

#include "bracket/input/input.hpp"
#include "bracket/model/range.hpp"

namespace bracket::tools {

/// Places in memory of the elements that one rank holds in several distributions. An element of
/// several ranges is in memory once, so that its place has the same speed and alignment for all of
/// them.
class HeldRanges {
 public:
  struct HeldPiece {
    Range range;
    Index place;  ///< place of its first element in memory
  };

  HeldRanges() = default;
  /// Throws `Error` if the number of elements overflows an `Index`.
  explicit HeldRanges(std::vector<Range> ranges);

  /// Disjoint pieces in ascending order.
  [[nodiscard]] std::span<const HeldPiece> pieces() const { return pieces_; }

  /// Number of elements in memory.
  [[nodiscard]] Index room() const { return room_; }

  /// Place of the first element of `range`, which is one of the ranges; 0 if it is empty.
  [[nodiscard]] Index place_of(Range range) const;

 private:
  std::vector<HeldPiece> pieces_;
  Index room_ = 0;
};

/// The float64 elements of such ranges.
class HeldElements {
 public:
  /// Makes room for the elements of all `ranges`. Throws `Error` if memory does not suffice.
  void make_room(std::vector<Range> ranges);

  /// Reads all of them.
  void read(const input::Input& input);

  /// The elements of `range`, which is one of the ranges.
  [[nodiscard]] std::span<const double> of(Range range) const;

  /// All of them.
  [[nodiscard]] std::span<const double> all() const { return memory_; }

 private:
  HeldRanges held_;
  std::vector<double> memory_;
};

}  // namespace bracket::tools
