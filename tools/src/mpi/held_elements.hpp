#pragma once

#include <span>
#include <vector>

#include "bracket/input/input.hpp"
#include "bracket/model/range.hpp"

namespace bracket::tools {

/// Where in memory one rank has the elements that it holds by several distributions. One that is in
/// several ranges is in memory once: how fast that place is and how it is aligned is then the same
/// for all of them.
class HeldRanges {
 public:
  struct Piece {
    Range range;
    Index place;  ///< of its first element in memory
  };

  HeldRanges() = default;
  /// Throws `Error` if they have more elements than can be counted.
  explicit HeldRanges(std::vector<Range> ranges);

  /// In order. No two share an element.
  [[nodiscard]] std::span<const Piece> pieces() const { return pieces_; }

  /// Number of elements in memory.
  [[nodiscard]] Index room() const { return room_; }

  /// Of the first element of `range`, one of the ranges; 0 if that is empty.
  [[nodiscard]] Index place_of(Range range) const;

 private:
  std::vector<Piece> pieces_;
  Index room_ = 0;
};

/// Those elements, float64.
class HeldElements {
 public:
  /// Makes room for those of all `ranges`. Throws `Error` if there is none.
  void make_room(std::vector<Range> ranges);

  /// Reads them all.
  void read(const Input& input);

  /// Those of `range`, one of the ranges.
  [[nodiscard]] std::span<const double> of(Range range) const;

 private:
  HeldRanges held_;
  std::vector<double> memory_;
};

}  // namespace bracket::tools
