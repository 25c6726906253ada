// SPDX-License-Identifier: MIT

#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "bracket/model/range.hpp"
#include "bracket/support/split_mix.hpp"

// Discrete stochastic arithmetic, as in the CADNA library (Fortin, habilitation, section 4.2):
// three samples of a computation, whose additions are rounded up or down at random, estimate the
// digits that rounding errors do not affect. Everything that kernels include is always inlined: see
// operators.hpp.

namespace bracket::runtime {

/// Random bits of the bracket [begin, end). They depend on its range alone (a counter-based
/// generator), and so not on the rank or thread that adds.
[[gnu::always_inline]] constexpr std::uint64_t random_word(Index begin, Index end) {
  constexpr std::uint64_t increment = 0x9E3779B97F4A7C15u;
  return support::split_mix(support::split_mix(static_cast<std::uint64_t>(begin) + increment) +
                            static_cast<std::uint64_t>(end) * increment);
}

/// Directions of the two random samples of the addition with the result [begin, end): bit 0 is set
/// if the first sample is rounded up, bit 1 if the second one is. The third sample has the
/// direction opposite to the second one, so that an inexact addition never gives three equal
/// samples.
///
/// The complete brackets of up to `word_elements` elements share a word: the bits of 32 elements
/// are the lowest, then come those of both halves, of the four quarters, and so on.
inline constexpr Index word_elements = 32;
[[gnu::always_inline]] constexpr std::uint64_t directions_of(Index begin, Index end) {
  const Index size = end - begin;
  if (size > word_elements || (size & (size - 1)) != 0 || begin % size != 0) {
    return random_word(begin, end) & 3;
  }
  const Index first = begin - begin % word_elements;
  const Index node = word_elements / size - 1 + (begin - first) / size;
  return random_word(first, first + word_elements) >> (2 * node) & 3;
}

/// Bits of a float as an integer, and their parts.
template <class Number>
struct FloatBits {
  using Bits = std::conditional_t<sizeof(Number) == 8, std::uint64_t, std::uint32_t>;
  static constexpr int digits = std::numeric_limits<Number>::digits;
  static constexpr Bits without_sign = std::numeric_limits<Bits>::max() >> 1;

  [[gnu::always_inline]] static constexpr Bits of(Number number) {
    return __builtin_bit_cast(Bits, number);
  }
  [[gnu::always_inline]] static constexpr Bits magnitude(Number number) {
    return of(number) & without_sign;
  }
};

/// The sum rounded up or down, from the error of the nearest sum (Knuth's error-free
/// transformation). A sum that overflows to nearest is an infinity in both directions, and an exact
/// zero is +0 unless both numbers are −0.
template <class Number>
[[gnu::always_inline]] constexpr Number directed_sum(Number left, Number right, bool up) {
  const Number sum = left + right;
  const Number of_right = sum - left;
  const Number lost = (right - of_right) + (left - (sum - of_right));
  if (!(up ? lost > 0 : lost < 0)) return sum;
  const auto bits = FloatBits<Number>::of(sum);
  return __builtin_bit_cast(Number, (lost > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

/// Number of bits that three samples share: the difference of the exponents of the first sample and
/// of the largest distance from it. All bits of a number if the samples are equal, or if a distance
/// is a NaN.
template <class Number>
[[gnu::always_inline]] constexpr int common_bits(const Number (&samples)[3]) {
  using Parts = FloatBits<Number>;
  const auto second = Parts::magnitude(samples[1] - samples[0]);
  const auto third = Parts::magnitude(samples[2] - samples[0]);
  const auto spread = second > third ? second : third;
  constexpr int digits = Parts::digits;
  if (!(__builtin_bit_cast(Number, spread) > 0)) return digits;
  constexpr int exponent_place = digits - 1;
  const int bits = static_cast<int>(Parts::magnitude(samples[0]) >> exponent_place) -
                   static_cast<int>(spread >> exponent_place);
  return bits < 0 ? 0 : bits < digits ? bits : digits;
}

/// An addition is a cancellation if the samples of its result share at least so many bits less than
/// those of both operands: four decimal digits.
inline constexpr int cancelled_bits = 13;

/// Three samples of the sum of a bracket, and the cancellations among its additions. It has no
/// constructor, which instruction sets would share.
template <class Number>
struct StochasticValue {
  Number samples[3];
  std::int64_t cancellations;
  Index begin;
  Index end;

  /// The samples of one element, which is exact.
  [[gnu::always_inline]] static constexpr StochasticValue of(Number element, Index index) {
    return {{element, element, element}, 0, index, index + 1};
  }

  /// The sum of two neighbours.
  [[gnu::always_inline]] friend constexpr StochasticValue operator+(const StochasticValue& left,
                                                                    const StochasticValue& right) {
    const std::uint64_t up = directions_of(left.begin, right.end);
    const bool second = (up & 2) != 0;
    StochasticValue sum{{directed_sum(left.samples[0], right.samples[0], (up & 1) != 0),
                         directed_sum(left.samples[1], right.samples[1], second),
                         directed_sum(left.samples[2], right.samples[2], !second)},
                        left.cancellations + right.cancellations,
                        left.begin,
                        right.end};
    const int of_left = common_bits(left.samples);
    const int of_right = common_bits(right.samples);
    const int before = of_left < of_right ? of_left : of_right;
    if (before - common_bits(sum.samples) >= cancelled_bits) ++sum.cancellations;
    return sum;
  }
};

/// The mean of three samples, which is the result of stochastic arithmetic: their own value if they
/// are equal, and an infinity or NaN if one of them is.
double mean_of(const double (&samples)[3]);

/// Number of decimal digits that the mean of three samples has in common with the exact result, by
/// Student's test at 95 %: log10(√3 · |mean| / (4.303 · σ)), with the standard deviation σ of the
/// samples. At least 0, and at most `most`, the digits of a number. A mean of 0 has no digit unless
/// the samples are equal.
double estimated_digits(const double (&samples)[3], double most);

}  // namespace bracket::runtime
