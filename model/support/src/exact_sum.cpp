// SPDX-License-Identifier: MIT

#include "bracket/support/exact_sum.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace bracket::support {

namespace {

constexpr int digit_bits = 32;
constexpr std::int64_t digit_mask = (std::int64_t{1} << digit_bits) - 1;

/// Exponent of the unit of the lowest digit.
constexpr int unit_exponent = -1074;

/// An addition changes each digit by less than 2^33: so many do not overflow one.
constexpr std::int64_t most_added = std::int64_t{1} << 29;

}  // namespace

/// The sum without its sign: digits from 0 to 2^32, and the number of bits.
struct ExactSum::Magnitude {
  Digits digits;
  bool negative = false;
  int length = 0;

  /// The bit at a place; 0 below the lowest one.
  [[nodiscard]] bool bit(int place) const {
    if (place < 0) return false;
    const auto digit = digits[static_cast<std::size_t>(place / digit_bits)];
    return (digit >> place % digit_bits & 1) != 0;
  }

  /// Up to 53 bits from a place on. Places below the lowest one are 0.
  [[nodiscard]] std::uint64_t bits_from(int place) const {
    std::uint64_t bits = 0;
    for (int i = length - 1; i >= place; --i) bits = bits << 1 | (bit(i) ? 1 : 0);
    return bits;
  }

  /// Whether any bit below `place` is 1.
  [[nodiscard]] bool any_below(int place) const {
    for (int i = 0; i < place; ++i) {
      if (i % digit_bits == 0 && i + digit_bits <= place) {
        if (digits[static_cast<std::size_t>(i / digit_bits)] != 0) return true;
        i += digit_bits - 1;
      } else if (bit(i)) {
        return true;
      }
    }
    return false;
  }
};

double operator/(const Scaled& dividend, const Scaled& divisor) {
  return std::ldexp(dividend.fraction / divisor.fraction, dividend.exponent - divisor.exponent);
}

void ExactSum::carry(Digits& digits) {
  for (std::size_t i = 0; i + 1 < digits.size(); ++i) {
    digits[i + 1] += digits[i] >> digit_bits;
    digits[i] &= digit_mask;
  }
}

void ExactSum::add(double number) {
  any_ = true;
  const auto bits = std::bit_cast<std::uint64_t>(number);
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  if (bits != sign) only_negative_zeros_ = false;
  const auto field = static_cast<int>(bits >> 52 & 0x7FF);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  if (field == 0x7FF) {
    (fraction != 0 ? nan_ : (bits & sign) != 0 ? negative_infinity_ : positive_infinity_) = true;
    return;
  }
  if (added_ == most_added) {
    carry(digits_);
    added_ = 0;
  }
  ++added_;
  const std::uint64_t significand = field == 0 ? fraction : fraction | std::uint64_t{1} << 52;
  const int place = field == 0 ? 0 : field - 1;
  const int shift = place % digit_bits;
  // The lower half of the significand takes up to two digits, and so does the upper half.
  const std::uint64_t low = (significand & digit_mask) << shift;
  const std::uint64_t high = (significand >> digit_bits) << shift;
  const std::int64_t parts[] = {
      static_cast<std::int64_t>(low & digit_mask),
      static_cast<std::int64_t>((low >> digit_bits) + (high & digit_mask)),
      static_cast<std::int64_t>(high >> digit_bits)};
  const auto first = static_cast<std::size_t>(place / digit_bits);
  const bool negative = (bits & sign) != 0;
  for (std::size_t i = 0; i < 3; ++i) digits_[first + i] += negative ? -parts[i] : parts[i];
}

void ExactSum::add(const ExactSum& other) {
  Digits digits = other.digits_;
  carry(digits);
  carry(digits_);
  for (std::size_t i = 0; i < digits.size(); ++i) digits_[i] += digits[i];
  added_ = 1;
  any_ |= other.any_;
  only_negative_zeros_ &= other.only_negative_zeros_;
  nan_ |= other.nan_;
  positive_infinity_ |= other.positive_infinity_;
  negative_infinity_ |= other.negative_infinity_;
}

ExactSum::Magnitude ExactSum::magnitude() const {
  Magnitude found{digits_};
  carry(found.digits);
  found.negative = found.digits.back() < 0;
  if (found.negative) {
    for (auto& digit : found.digits) digit = -digit;
    carry(found.digits);
  }
  for (std::size_t i = found.digits.size(); i-- > 0 && found.length == 0;) {
    const auto digit = static_cast<std::uint64_t>(found.digits[i]);
    if (digit != 0) {
      found.length = static_cast<int>(i) * digit_bits + static_cast<int>(std::bit_width(digit));
    }
  }
  return found;
}

template <class Number>
Number ExactSum::rounded(Rounding rounding) const {
  using Limits = std::numeric_limits<Number>;
  if (nan_ || (positive_infinity_ && negative_infinity_)) return Limits::quiet_NaN();
  if (positive_infinity_) return Limits::infinity();
  if (negative_infinity_) return -Limits::infinity();
  const Magnitude sum = magnitude();
  if (sum.length == 0) return any_ && only_negative_zeros_ ? -Number(0) : Number(0);
  // The place of the last bit of a Number near the sum.
  constexpr int lowest = Limits::min_exponent - Limits::digits - unit_exponent;
  const int place = sum.length - Limits::digits > lowest ? sum.length - Limits::digits : lowest;
  std::uint64_t significand = sum.bits_from(place);
  const bool half = sum.bit(place - 1);
  const bool below_half = sum.any_below(place - 1);
  const bool outwards = rounding == (sum.negative ? Rounding::down : Rounding::up);
  if (rounding == Rounding::nearest ? half && (below_half || (significand & 1) != 0)
                                    : outwards && (half || below_half)) {
    ++significand;
  }
  // Exact, except for a sum that is too large.
  Number size = std::ldexp(static_cast<Number>(significand), place + unit_exponent);
  if (size > Limits::max() && rounding != Rounding::nearest && !outwards) size = Limits::max();
  return sum.negative ? -size : size;
}

template double ExactSum::rounded(Rounding) const;
template float ExactSum::rounded(Rounding) const;

Scaled ExactSum::scaled() const {
  const Magnitude sum = magnitude();
  if (sum.length == 0) return {};
  constexpr int bits = std::numeric_limits<double>::digits;
  const int place = sum.length - bits;
  std::uint64_t significand = sum.bits_from(place > 0 ? place : 0);
  if (sum.bit(place - 1) && (sum.any_below(place - 1) || (significand & 1) != 0)) ++significand;
  int exponent = 0;
  const double size = static_cast<double>(significand);
  const double fraction = std::frexp(size, &exponent);
  return {sum.negative ? -fraction : fraction, exponent + (place > 0 ? place : 0) + unit_exponent};
}

}  // namespace bracket::support
