// SPDX-License-Identifier: MIT

#pragma once

#include <array>
#include <cstdint>

namespace bracket::support {

/// Direction in which a sum that lies between two floats is rounded.
enum class Rounding : std::uint8_t {
  nearest,  ///< to the nearest float, ties to even
  down,     ///< towards −∞
  up        ///< towards +∞
};

/// A number fraction · 2^exponent with 1/2 ≤ |fraction| < 1, which has no limit of its exponent, or
/// 0 · 2^0.
struct Scaled {
  double fraction = 0;
  int exponent = 0;
};

/// The quotient. It may overflow. Returns a NaN for 0 / 0.
double operator/(const Scaled& dividend, const Scaled& divisor);

/// The exact sum of any number of float64 or float32, which partial sums cannot overflow: the small
/// superaccumulator of Neal ("Fast Exact Summation Using Small and Large Superaccumulators",
/// arXiv:1505.05571, 2015). A NaN or infinities of both signs make the sum a NaN.
class ExactSum {
 public:
  void add(double number);
  void add(const ExactSum& other);
  void subtract(double number) { add(-number); }

  /// The sum, rounded once. `Number` is double or float. A sum of numbers that are all −0 is −0,
  /// the sum of no numbers +0. A NaN is the quiet NaN without a sign. A sum that is too large is an
  /// infinity or, if rounded towards 0, the largest number.
  template <class Number>
  [[nodiscard]] Number rounded(Rounding rounding = Rounding::nearest) const;

  /// The sum, rounded to the nearest fraction. The sum must be finite.
  [[nodiscard]] Scaled scaled() const;

  /// Whether all numbers are finite.
  [[nodiscard]] bool finite() const { return !nan_ && !positive_infinity_ && !negative_infinity_; }

 private:
  /// Digits of base 2^32, the lowest first, in units of the least subnormal float64. There are 2098
  /// bits for the largest sum of two numbers, and 64 for the number of elements.
  using Digits = std::array<std::int64_t, 68>;

  /// Sign, magnitude and length of the sum.
  struct Magnitude;
  [[nodiscard]] Magnitude magnitude() const;

  /// Carries what exceeds a digit to the next one: all digits but the highest are from 0 to 2^32.
  static void carry(Digits& digits);

  Digits digits_{};
  std::int64_t added_ = 0;  // numbers since the last carries
  bool any_ = false;
  bool only_negative_zeros_ = true;
  bool nan_ = false;
  bool positive_infinity_ = false;
  bool negative_infinity_ = false;
};

}  // namespace bracket::support
