#pragma once

#include <iosfwd>

#include "bracket/model/range.hpp"

namespace bracket {

/// What a rank holds or a message carries of a contiguous range of elements: their value under
/// the order, or, where the order cannot reduce them on their own, a *run*: the elements one by
/// one. One element is its own value, never a run.
struct Partial {
  Range range;
  bool run = false;

  /// The value of `range`.
  constexpr Partial(Range value = {}) : range(value) {}  // NOLINT: a range names its value

  /// The elements of `range` one by one.
  static constexpr Partial run_of(Range range) {
    Partial partial(range);
    partial.run = range.size() > 1;
    return partial;
  }

  /// Values that a message of it carries.
  [[nodiscard]] constexpr Index values() const { return run ? range.size() : 1; }

  friend auto operator<=>(const Partial&, const Partial&) = default;
};

/// Prints `[4,8)` for a value, `4...7` for a run.
std::ostream& operator<<(std::ostream& out, Partial partial);

}  // namespace bracket
