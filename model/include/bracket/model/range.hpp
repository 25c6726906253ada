// SPDX-License-Identifier: MIT

#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string_view>  // declares std::hash

namespace bracket {

/// Global element index or element count, 0 … 2^63 − 1.
using Index = std::int64_t;

/// A process of the reduction, 0 … p − 1 (the thesis's "PE").
using Rank = std::int32_t;

/// Half-open range `[begin, end)` of global element indices or, as a *segment*, of the items of a
/// vector.
struct Range {
  Index begin = 0;
  Index end = 0;

  [[nodiscard]] constexpr Index size() const { return end - begin; }
  [[nodiscard]] constexpr bool empty() const { return begin >= end; }
  [[nodiscard]] constexpr bool contains(Index x) const { return begin <= x && x < end; }
  [[nodiscard]] constexpr bool contains(Range other) const {
    return begin <= other.begin && other.end <= end;
  }
  /// The common part. Empty, with meaningless ends, if the ranges are disjoint.
  [[nodiscard]] constexpr Range intersection(Range other) const {
    return {begin > other.begin ? begin : other.begin, end < other.end ? end : other.end};
  }

  friend auto operator<=>(const Range&, const Range&) = default;
};

/// The i-th of `blocks` contiguous blocks of `[0, count)` of nearly equal size, the larger first.
constexpr Range block(Index count, Index i, Index blocks) {
  const Index share = count / blocks;
  const Index rest = count % blocks;
  const auto begin = [&](Index k) { return k * share + (k < rest ? k : rest); };
  return {begin(i), begin(i + 1)};
}

/// Prints `[begin,end)`.
std::ostream& operator<<(std::ostream& out, Range range);

}  // namespace bracket

template <>
struct std::hash<bracket::Range> {
  std::size_t operator()(const bracket::Range& range) const noexcept {
    const auto begin = static_cast<std::uint64_t>(range.begin);
    const auto end = static_cast<std::uint64_t>(range.end);
    std::uint64_t mixed = (begin ^ (end << 32 | end >> 32)) * 0x9E3779B97F4A7C15u;
    mixed ^= mixed >> 29;
    return static_cast<std::size_t>(mixed * 0xBF58476D1CE4E5B9u ^ end);
  }
};
