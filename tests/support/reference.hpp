// SPDX-License-Identifier: MIT

#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace bracket::testing {

/// A reduction by the definition of the orders: chunks of `chunk` elements from left to right, then
/// neighbours level by level. A last value without a neighbour moves up unchanged (thesis, chapter
/// 2). Chunks of one element give the tree order, one chunk gives the sequential order.
template <class Value, class Join>
Value reduced(std::span<const Value> elements, std::size_t chunk, Join join) {
  std::vector<Value> level;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (i % chunk == 0) {
      level.push_back(elements[i]);
    } else {
      level.back() = join(level.back(), elements[i]);
    }
  }
  while (level.size() > 1) {
    std::vector<Value> above;
    for (std::size_t i = 0; i + 1 < level.size(); i += 2) {
      above.push_back(join(level[i], level[i + 1]));
    }
    if (level.size() % 2 == 1) above.push_back(level.back());
    level = std::move(above);
  }
  return level.front();
}

/// Sum in the tree order.
inline double tree_sum(std::span<const double> elements) {
  return reduced(elements, 1, std::plus<double>());
}

/// Bits of `value`; all NaNs have equal bits.
inline std::uint64_t bits(double value) {
  return std::isnan(value) ? 0x7FF8000000000000u : std::bit_cast<std::uint64_t>(value);
}
inline std::uint32_t bits(float value) {
  return std::isnan(value) ? 0x7FC00000u : std::bit_cast<std::uint32_t>(value);
}

/// Minimum of two numbers by IEEE 754-2019: a NaN wins, and −0 is less than +0.
template <class Number>
Number lesser(Number left, Number right) {
  if (std::isnan(left) || std::isnan(right)) return std::numeric_limits<Number>::quiet_NaN();
  if (left == right) return std::signbit(left) ? left : right;
  return left < right ? left : right;
}

template <class Number>
Number greater(Number left, Number right) {
  if (std::isnan(left) || std::isnan(right)) return std::numeric_limits<Number>::quiet_NaN();
  if (left == right) return std::signbit(left) ? right : left;
  return left < right ? right : left;
}

}  // namespace bracket::testing
