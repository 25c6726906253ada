// SPDX-License-Identifier: MIT

#pragma once

#include <iosfwd>

#include "bracket/model/range.hpp"

namespace bracket {

/// A contiguous range of elements as a rank holds it or a message carries it. It is the value of
/// the range under the order or, if the order cannot reduce the range on its own, a *run*: its
/// elements one by one. One element is a value, never a run. If elements are vectors, a partial has
/// one segment of their items.
struct Partial {
  Range range;
  bool run = false;
  Range segment;  ///< items; if empty, all of them, which a `RankPart` writes out

  /// The value of `range`.
  constexpr Partial(Range value = {}) : range(value) {}  // NOLINT: a range names its value

  /// The elements of `range` one by one.
  static constexpr Partial run_of(Range range) {
    Partial partial(range);
    partial.run = range.size() > 1;
    return partial;
  }

  /// This partial, restricted to some items.
  [[nodiscard]] constexpr Partial over(Range items) const {
    Partial partial = *this;
    partial.segment = items;
    return partial;
  }

  /// Number of elements of a run; 1 for a value.
  [[nodiscard]] constexpr Index count() const { return run ? range.size() : 1; }

  /// Numbers that a message with this partial carries: `count()` for each item of the segment,
  /// which must not be empty.
  [[nodiscard]] constexpr Index values() const { return count() * segment.size(); }

  friend auto operator<=>(const Partial&, const Partial&) = default;
};

/// Prints `[4,8)` for a value and `4...7` for a run, without the segment.
std::ostream& operator<<(std::ostream& out, Partial partial);

}  // namespace bracket
