#pragma once

#include <iosfwd>

#include "bracket/model/range.hpp"

namespace bracket {

/// What a rank holds or a message carries of a contiguous range of elements: their value under
/// the order, or, where the order cannot reduce them on their own, a *run*: the elements one by
/// one. One element is its own value, never a run. If elements are vectors, it is about one
/// segment of their items.
struct Partial {
  Range range;
  bool run = false;
  Range segment;  ///< items; empty: all of them, as a `RankPart` then writes out

  /// The value of `range`.
  constexpr Partial(Range value = {}) : range(value) {}  // NOLINT: a range names its value

  /// The elements of `range` one by one.
  static constexpr Partial run_of(Range range) {
    Partial partial(range);
    partial.run = range.size() > 1;
    return partial;
  }

  /// The same of some items.
  [[nodiscard]] constexpr Partial over(Range items) const {
    Partial partial = *this;
    partial.segment = items;
    return partial;
  }

  /// Elements or values of elements that it stands for.
  [[nodiscard]] constexpr Index count() const { return run ? range.size() : 1; }

  /// Numbers that a message of it carries: one for each of those and each item of the segment,
  /// which must be written out.
  [[nodiscard]] constexpr Index values() const { return count() * segment.size(); }

  friend auto operator<=>(const Partial&, const Partial&) = default;
};

/// Prints `[4,8)` for a value, `4...7` for a run; not the segment.
std::ostream& operator<<(std::ostream& out, Partial partial);

}  // namespace bracket
