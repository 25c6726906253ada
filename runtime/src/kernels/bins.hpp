// SPDX-License-Identifier: MIT

#pragma once

#include "bracket/runtime/binned.hpp"

// Binned sums element by element in integers, written for readability and correct for every
// exponent. Included by files that are compiled for one instruction set each, therefore always
// inlined.

namespace bracket::runtime::bins {

/// Bytes that vector kernels prefetch ahead in each array. The processor alone prefetches too late,
/// because an element takes more work than one addition. A prefetch beyond the elements has no
/// effect.
constexpr Index prefetched = 4096;

/// Exponent of the unit of a bin.
[[gnu::always_inline]] constexpr int unit_exponent(int bin, int width) { return width * bin + 1; }

/// Bin of magnitudes from 2^exponent to below twice that.
[[gnu::always_inline]] constexpr int bin_of(int exponent, int width) {
  const int above = exponent - width * Bins::lowest;  // not negative
  // A division by a constant is a multiplication, which takes less time.
  return (width == Bins::width ? above / Bins::width : above / width) + Bins::lowest;
}

/// Bits of 1.5 · 2^52 units of a bin. The sum of this number and an element has the element,
/// rounded to whole units, in its last places.
[[gnu::always_inline]] constexpr std::uint64_t constant_bits(int bin, int width) {
  constexpr std::uint64_t half = std::uint64_t{1} << 51;
  return (static_cast<std::uint64_t>(1023 + 52 + unit_exponent(bin, width)) << 52) + half;
}

/// Whether the window of K bins from `top` down has such numbers. They must be less than 2^970, or
/// the sum of one and a large element could overflow. No unit may be below the least number. All
/// subnormal numbers must be below its upper edge, because their exponent fields are alike.
template <int K>
[[gnu::always_inline]] constexpr bool in_reach(int top, int width) {
  return unit_exponent(top, width) + 53 <= 970 && unit_exponent(top - K + 1, width) >= -1074 &&
         width * (top + 1) >= -1022;
}

/// Adds an integer of 128 bits to the digit.
template <class Digit>
[[gnu::always_inline]] constexpr void add(Digit& digit, std::uint64_t low, std::uint64_t high) {
  digit.low += low;
  digit.high += high + (digit.low < low ? 1 : 0);
}

template <class Digit>
[[gnu::always_inline]] constexpr void add(Digit& digit, std::int64_t units) {
  add(digit, static_cast<std::uint64_t>(units), static_cast<std::uint64_t>(units >> 63));
}

/// Makes `bin` ≥ `sum.top` the highest one. Drops the bins that fall off the low end: none of their
/// content has been carried to another bin.
template <int K>
[[gnu::always_inline]] constexpr void raise(Binned<K>& sum, int bin) {
  const int steps = bin - sum.top;
  for (int k = K - 1; k >= 0 && steps > 0; --k) {
    if (k >= steps) {
      sum.digits[k] = sum.digits[k - steps];
    } else {
      sum.digits[k] = {0, 0};
    }
  }
  sum.top = bin;
}

/// `value` / 2^`shift` to nearest, ties to even; 1 ≤ `shift` ≤ 62.
[[gnu::always_inline]] constexpr std::int64_t rounded_quotient(std::int64_t value, int shift) {
  const std::int64_t down = value >> shift;
  const std::int64_t rest = value - (down << shift);
  const std::int64_t half = std::int64_t{1} << (shift - 1);
  return down + (rest > half || (rest == half && (down & 1) != 0) ? 1 : 0);
}

/// Adds the element with the given bits.
template <int K>
[[gnu::always_inline]] constexpr void add_bits(Binned<K>& sum, std::uint64_t bits, int width) {
  using Sum = Binned<K>;
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  constexpr std::uint64_t one = std::uint64_t{1} << 52;  // lowest bit of the exponent field
  constexpr std::uint64_t infinity = 0x7FF * one;
  const std::uint64_t magnitude = bits & ~sign;
  const bool negative = bits != magnitude;

  sum.seen |= Sum::anything;
  if (bits != sign) sum.seen |= Sum::other_than_negative_zero;
  if (magnitude == 0) return;
  if (magnitude > infinity) sum.seen |= Sum::nan;
  if (magnitude == infinity) {
    sum.seen |= negative ? Sum::negative_infinity : Sum::positive_infinity;
  }
  if (magnitude >= infinity) return;

  // The element is rest · 2^exponent.
  const int field = static_cast<int>(magnitude / one);
  const int exponent = (field == 0 ? 1 : field) - 1075;
  auto rest = static_cast<std::int64_t>(field == 0 ? magnitude : magnitude % one + one);
  const int bin = bin_of(exponent + 63 - __builtin_clzll(static_cast<std::uint64_t>(rest)), width);
  if (bin > sum.top) raise(sum, bin);
  if (negative) rest = -rest;

  // Each bin takes the remainder rounded to its unit. A unit is an even multiple of the next one,
  // so the bins together hold the element rounded to the last bin's unit.
  for (int k = 0; k < K && rest != 0; ++k) {
    const int shift = unit_exponent(sum.top - k, width) - exponent;
    if (shift > 54) continue;  // less than half a unit
    const std::int64_t units = shift <= 0 ? rest << -shift : rounded_quotient(rest, shift);
    rest = shift <= 0 ? 0 : rest - (units << shift);
    add(sum.digits[k], units);
  }
}

template <int K>
[[gnu::always_inline]] constexpr void add(Binned<K>& sum, double element, int width) {
  add_bits(sum, __builtin_bit_cast(std::uint64_t, element), width);
}

/// Adds a product without rounding it first: as its rounded value and the error of that. If the
/// rounded value is an infinity or NaN, it alone counts. Below the least subnormal, the error is
/// rounded, as by a fused multiply-add.
template <int K>
[[gnu::always_inline]] inline void add_product(Binned<K>& sum, double x, double y, int width) {
  const double product = x * y;
  add(sum, product, width);
  if (!(product - product == 0)) return;
  // An error of zero must not hide that all elements are -0.
  const double error = __builtin_fma(x, y, -product);
  if (error != 0) add(sum, error, width);
}

/// Adds another sum.
template <int K>
[[gnu::always_inline]] constexpr void add(Binned<K>& sum, Binned<K> other) {
  if (sum.top < other.top) raise(sum, other.top);
  if (other.top < sum.top) raise(other, sum.top);
  for (int k = 0; k < K; ++k) add(sum.digits[k], other.digits[k].low, other.digits[k].high);
  sum.seen |= other.seen;
}

}  // namespace bracket::runtime::bins
