// SPDX-License-Identifier: MIT

#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <type_traits>
#include <vector>

#include "support/binned_reference.hpp"
#include "support/exact.hpp"

/// The pre-rounded sum by its definition.
namespace bracket::testing {

/// The least integer L of at least 2 with N <= 2^L.
inline int levels_of_terms(std::size_t terms) {
  int levels = 2;
  while ((std::size_t{1} << levels) < terms) ++levels;
  return levels;
}

struct PreRoundedSums {
  double wide;
  float narrow;
};

/// The sum of elements that are all there are, with K levels, rounded to float64 and to float32.
inline PreRoundedSums pre_rounded_sums(std::span<const double> elements, int levels) {
  const auto special = binned_sum(elements, 1);  // the same for zeros, infinities and NaNs
  const double largest = largest_magnitude(elements);
  const bool finite =
      std::all_of(elements.begin(), elements.end(), [](double x) { return std::isfinite(x); });
  if (!finite || largest == 0) return {special, static_cast<float>(special)};
  int exponent = 1024;  // the least with largest < 2^exponent
  while (exact(largest) < power_of_two(exponent - 1)) --exponent;
  const int of_terms = levels_of_terms(elements.size());
  std::vector<Exact> rest;
  for (const double element : elements) rest.push_back(exact(element));
  std::vector<Exact> sums;
  int unit = exponent + of_terms - 53;
  for (int k = 0; k < levels; ++k, unit += of_terms - 54) {
    const Exact size = power_of_two(std::max(unit, -1074));
    Exact sum = 0;
    for (Exact& one : rest) {
      const Exact multiple = rounded_quotient(one, size) * size;
      sum += multiple;
      one -= multiple;
    }
    sums.push_back(sum);
  }
  // Doubles, in units of a power of two in which nothing overflows. All but the last addition.
  const int down = std::max(0, exponent + of_terms - 1000);
  Exact last = sums.back();
  for (int k = levels - 2; k > 0; --k) {
    last = exact(nearest(Exact((sums[static_cast<std::size_t>(k)] + last) >> down))) << down;
  }
  const Exact sum = levels == 1 ? last : Exact(sums.front() + last);
  return {nearest<double>(sum), nearest<float>(sum)};
}

template <class Number = double>
Number pre_rounded_sum(std::span<const double> elements, int levels) {
  const PreRoundedSums sums = pre_rounded_sums(elements, levels);
  if constexpr (std::is_same_v<Number, float>) return sums.narrow;
  return static_cast<Number>(sums.wide);
}

}  // namespace bracket::testing
