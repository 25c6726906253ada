// SPDX-License-Identifier: MIT

#pragma once

#include <concepts>
#include <string>

#include "bracket/model/range.hpp"

namespace bracket {

/// Number of sums that one reduction computes: of the items of vectors, or of fields. The items of
/// a vector lie next to each other in memory. A field has one number for each element, in an array
/// of its own. A plain number converts to vectors of so many items.
struct Items {
  Index count = 1;
  bool fields = false;  ///< whether they are fields

  static constexpr Index most_fields = 100'000;  ///< in one reduction

  constexpr Items(Index of_vector = 1) : count(of_vector) {}  // NOLINT: a count names its items

  /// One field is the same as vectors of one item.
  static constexpr Items of_fields(Index count) {
    Items items(count);
    items.fields = count > 1;
    return items;
  }

  constexpr operator Index() const { return count; }  // NOLINT: they count numbers almost anywhere

  /// Numbers of an element that lie next to each other in memory.
  [[nodiscard]] constexpr Index adjacent() const { return fields ? 1 : count; }

  friend constexpr bool operator==(const Items&, const Items&) = default;
  template <std::integral Number>
  friend constexpr bool operator==(const Items& left, Number right) {
    return left.count == right;
  }
};

/// "single numbers", "vectors of 5 items" or "3 fields".
std::string describe(Items items);

}  // namespace bracket
