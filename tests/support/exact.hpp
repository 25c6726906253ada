// SPDX-License-Identifier: MIT

#pragma once

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

/// Exact arithmetic of float64 by large integers, and its rounding.
namespace bracket::testing {

/// A multiple of 2^−1500; every double and every unit of a bin is one. It has enough bits for every
/// sum. A type that allocates would make GCC 12 warn of uninitialised values.
namespace multiprecision = boost::multiprecision;
using Exact = multiprecision::number<
    multiprecision::cpp_int_backend<4096, 4096, multiprecision::signed_magnitude,
                                    multiprecision::unchecked, void>,
    multiprecision::et_off>;
inline constexpr int exact_places = 1500;

inline Exact power_of_two(int exponent) { return Exact(1) << (exponent + exact_places); }

inline Exact exact(double number) {
  int exponent = 0;
  const double fraction = std::frexp(number, &exponent);
  return Exact(static_cast<std::int64_t>(std::ldexp(fraction, 53)))
         << (exponent - 53 + exact_places);
}

/// Nearest integer to `number` / `unit`, ties to even. `unit` is a power of two: a shift takes a
/// fraction of a division's time, and tests round millions of numbers.
inline Exact rounded_quotient(const Exact& number, const Exact& unit) {
  const auto shift = lsb(unit);
  const Exact magnitude = abs(number);
  Exact quotient = magnitude >> shift;
  const Exact twice_rest = (magnitude - (quotient << shift)) << 1;
  if (twice_rest > unit || (twice_rest == unit && bit_test(quotient, 0))) ++quotient;
  return number < 0 ? Exact(-quotient) : quotient;
}

/// Exponent of the last place of a float near `number` ≠ 0.
template <class Number = double>
int last_place(const Exact& number) {
  using Limits = std::numeric_limits<Number>;
  const int exponent = static_cast<int>(msb(Exact(abs(number)))) - exact_places;
  return std::max(exponent + 1, Limits::min_exponent) - Limits::digits;
}

/// Float nearest to `number`, ties to even.
template <class Number = double>
Number nearest(const Exact& number) {
  if (number == 0) return 0;
  const int place = last_place<Number>(number);
  const Exact significand = rounded_quotient(number, power_of_two(place));
  return std::ldexp(static_cast<Number>(significand.convert_to<std::int64_t>()), place);
}

inline Exact exact_sum(std::span<const double> elements) {
  Exact sum = 0;
  for (const double element : elements) sum += exact(element);
  return sum;
}

}  // namespace bracket::testing
