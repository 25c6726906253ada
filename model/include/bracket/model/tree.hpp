// SPDX-License-Identifier: MIT

#pragma once

#include <bit>
#include <cstdint>

#include "bracket/model/range.hpp"

/// Index arithmetic of the binary reduction tree over N elements (thesis, chapters 2 and 3).
/// A node is written (x, y): x is its first element, y its level; element x is the leaf (x, 0).
namespace bracket::tree {

/// Lowest set bit of x; 0 for x = 0.
constexpr std::uint64_t lowest_bit(Index x) {
  const auto bits = static_cast<std::uint64_t>(x);
  return bits & (~bits + 1);
}

/// x-coordinate of the parent of the highest node at x (equation 3.1); 0 for x = 0.
constexpr Index parent(Index x) { return x == 0 ? 0 : x & (x - 1); }

/// The number x with `low` < x < `high` that the highest power of two divides. The bounds are at
/// least 0 and at least 2 apart.
constexpr Index roundest_between(Index low, Index high) {
  Index round = high - 1;
  while (parent(round) > low) round = parent(round);
  return round;
}

/// Number of levels above the leaves: ⌈log2 N⌉ for N ≥ 1.
constexpr int height(Index elements) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(elements) - 1));
}

/// Highest level of a node at x in a tree of N elements: the number of trailing zeros of x, or the
/// root's level for x = 0.
constexpr int max_level(Index x, Index elements) {
  return x == 0 ? height(elements) : std::countr_zero(static_cast<std::uint64_t>(x));
}

/// Elements under node (x, level), cut off at N.
constexpr Range node(Index x, int level, Index elements) {
  const std::uint64_t end = static_cast<std::uint64_t>(x) + (std::uint64_t{1} << level);
  const auto limit = static_cast<std::uint64_t>(elements);
  return {x, static_cast<Index>(end < limit ? end : limit)};
}

/// Elements under the highest node at x (its end is equation 3.6 plus one, cut off at N).
constexpr Range highest_node(Index x, Index elements) {
  return node(x, max_level(x, elements), elements);
}

}  // namespace bracket::tree
