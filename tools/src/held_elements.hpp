#pragma once

#include <span>
#include <vector>

#include "bracket/model/range.hpp"
#include "bracket/runtime/input.hpp"

namespace bracket::tools {

/// Elements that one rank holds by several distributions. One that is in several ranges is in
/// memory once: how fast that place is and how it is aligned is then the same for all of them.
class HeldElements {
 public:
  /// Makes room for those of all `ranges`. Throws `Error` if there is none.
  void make_room(std::vector<Range> ranges);

  /// Reads them all.
  void read(const Input& input);

  /// Those of `range`, one of the ranges.
  [[nodiscard]] std::span<const double> of(Range range) const;

 private:
  struct Piece {
    Range range;
    Index place;  // of its first element in memory
  };

  std::vector<Piece> pieces_;  // in order; no two share an element
  std::vector<double> memory_;
};

}  // namespace bracket::tools
