// SPDX-License-Identifier: MIT

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "bracket/runtime/binned.hpp"
#include "support/exact.hpp"

/// The binned sum by its definition, and elements that reveal a wrong one.
namespace bracket::testing {

inline double largest_magnitude(std::span<const double> elements) {
  double largest = 0;
  for (const double element : elements) largest = std::max(largest, std::abs(element));
  return largest;
}

/// Unit to which a sum of `bins` bins of `width` bits rounds finite elements that are not all zero.
inline Exact binned_unit(double largest, int bins, int width) {
  const Exact magnitude = exact(largest);
  int bin = 1100 / width;
  while (power_of_two(width * bin) > magnitude) --bin;
  return power_of_two(width * (bin - bins + 1) + 1);
}

/// `times` the sum of `elements`, rounded once.
template <class Number = double>
Number binned_sum(std::span<const double> elements, int bins, const Exact& times = 1,
                  int width = 40) {
  const auto has = [&](auto what) { return std::any_of(elements.begin(), elements.end(), what); };
  constexpr Number infinity = std::numeric_limits<Number>::infinity();
  const bool positive = has([](double x) { return x == infinity; });
  const bool negative = has([](double x) { return x == -infinity; });
  if (has([](double x) { return std::isnan(x); }) || (positive && negative)) {
    return std::numeric_limits<Number>::quiet_NaN();
  }
  if (positive) return infinity;
  if (negative) return -infinity;
  if (elements.empty()) return 0;
  if (!has([](double x) { return x != 0 || !std::signbit(x); })) return -Number(0);
  const double largest = largest_magnitude(elements);
  if (largest == 0) return 0;
  const Exact unit = binned_unit(largest, bins, width);
  Exact units = 0;
  for (const double element : elements) units += rounded_quotient(exact(element), unit);
  return nearest<Number>(units * unit * times);
}

/// The error of a finite rounded product: the double nearest to the exact one.
inline double product_error(double x, double y) {
  const double product = x * y;
  // A multiple of 2^-2148, the least product.
  const auto scaled = [](double number, int places) {
    int exponent = 0;
    const double fraction = std::frexp(number, &exponent);
    const Exact digits = static_cast<std::int64_t>(std::ldexp(fraction, 53));
    const int shift = exponent - 53 + places;
    return shift >= 0 ? Exact(digits << shift)
                      : Exact(digits / (Exact(1) << -shift));  // exact, too
  };
  const Exact error = scaled(x, 1074) * scaled(y, 1074) - scaled(product, 2148);
  if (error == 0) return 0;
  const int place = std::max(static_cast<int>(msb(Exact(abs(error)))) - 52, 2148 - 1074);
  const Exact digits = rounded_quotient(error, Exact(1) << place);
  return std::ldexp(static_cast<double>(digits.convert_to<std::int64_t>()), place - 2148);
}

/// The numbers that stand for products that are not rounded: those that are, with their errors.
inline std::vector<double> exact_products(std::span<const double> x, std::span<const double> y) {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < x.size(); ++i) {
    numbers.push_back(x[i] * y[i]);
    if (!std::isfinite(numbers.back())) continue;
    if (const double error = product_error(x[i], y[i]); error != 0) numbers.push_back(error);
  }
  return numbers;
}

/// A kind of elements, each a function of its index.
struct BinnedKind {
  std::string_view name;
  double (*element)(std::size_t index, std::mt19937_64& random);

  [[nodiscard]] std::vector<double> elements(std::size_t count, std::uint64_t seed) const {
    std::mt19937_64 random(seed);
    std::vector<double> made(count);
    for (std::size_t i = 0; i < count; ++i) made[i] = element(i, random);
    return made;
  }
};

/// A double of random sign and significand, from 2^exponent to below 2^(exponent + 1). A subnormal
/// double has fewer places.
inline double with_exponent(int exponent, std::mt19937_64& random) {
  const double significand = 1 + std::ldexp(static_cast<double>(random() >> 12), -52);
  return std::ldexp(random() % 2 == 0 ? significand : -significand, exponent);
}

inline int one_of(int first, int last, std::mt19937_64& random) {
  return first + static_cast<int>(random() % static_cast<unsigned>(last - first + 1));
}

/// An odd number of half units of `bin`; the whole units next to it are even and odd.
inline double tie(int bin, std::mt19937_64& random) {
  return std::ldexp(2 * one_of(-50, 50, random) + 1, 40 * bin);
}

/// A number at, just below or just above the lower edge, the unit or the half unit of a bin.
inline double edge(int bin, std::mt19937_64& random) {
  const double on = std::ldexp(random() % 2 == 0 ? 1 : -1, 40 * bin + one_of(-1, 1, random));
  if (random() % 3 == 0) return on;
  return std::nextafter(on, random() % 2 == 0 ? 0 : 2 * on);
}

inline const BinnedKind binned_kinds[] = {
    {"one binade", [](std::size_t, auto& random) { return with_exponent(-1, random); }},
    {"around one", [](std::size_t, auto& r) { return with_exponent(one_of(-130, 3, r), r); }},
    {"every exponent",
     [](std::size_t, auto& r) { return with_exponent(one_of(-1074, 1023, r), r); }},
    {"rising",
     [](std::size_t i, auto& r) { return with_exponent(static_cast<int>(i * 2 % 1000), r); }},
    {"falling",
     [](std::size_t i, auto& r) { return with_exponent(-static_cast<int>(i % 1000), r); }},
    {"rarely rising",
     [](std::size_t i, auto& r) { return with_exponent(static_cast<int>(i / 700) * 35 - 120, r); }},
    {"ties", [](std::size_t, auto& random) { return tie(one_of(-2, 0, random), random); }},
    {"ties of one bin", [](std::size_t, auto& random) { return tie(0, random); }},
    {"ties of small bins",
     [](std::size_t, auto& random) { return tie(one_of(-26, -24, random), random); }},
    {"ties of large bins",
     [](std::size_t, auto& random) { return tie(one_of(22, 25, random), random); }},
    {"edges", [](std::size_t, auto& random) { return edge(one_of(-26, 25, random), random); }},
    {"edges around one",
     [](std::size_t, auto& random) { return edge(one_of(-3, 2, random), random); }},
    {"edges of one bin", [](std::size_t, auto& random) { return edge(2, random); }},
    {"edges of the largest bins", [](std::size_t, auto& r) { return edge(one_of(23, 25, r), r); }},
    {"edges of the least bins", [](std::size_t, auto& r) { return edge(one_of(-27, -16, r), r); }},
    {"the largest numbers",
     [](std::size_t i, auto& random) {
       const double largest = std::numeric_limits<double>::max();
       return random() % 8 == 0 ? with_exponent(970, random) : i % 2 == 0 ? largest : -largest;
     }},
    {"overflow in the middle",
     [](std::size_t i, auto&) {
       const double largest = std::numeric_limits<double>::max();
       return i % 8 < 4 ? largest : -largest;
     }},
    // A large element raises the window in a place that vectors do not reach; then small elements
    // follow.
    {"large once",
     [](std::size_t i, auto& random) {
       return with_exponent(i == 1500 ? 1010 : one_of(-30, 0, random), random);
     }},
    {"large once, beside an infinity",
     [](std::size_t i, auto& random) {
       if (i == 1500) return std::numeric_limits<double>::infinity();
       return with_exponent(i == 1501 ? 70 : one_of(-30, 0, random), random);
     }},
    {"least bins", [](std::size_t, auto& r) { return with_exponent(one_of(-1074, -900, r), r); }},
    {"subnormal", [](std::size_t, auto& r) { return with_exponent(one_of(-1074, -1023, r), r); }},
    {"integers", [](std::size_t, auto& random) { return double(one_of(-1000, 1000, random)); }},
    {"mostly zero",
     [](std::size_t, auto& random) {
       if (random() % 300 == 0) return with_exponent(one_of(-90, 90, random), random);
       return random() % 2 == 0 ? 0.0 : -0.0;
     }},
    {"negative zero, then zero", [](std::size_t i, auto&) { return i % 4000 < 3000 ? -0.0 : 0.0; }},
    {"rare specials",
     [](std::size_t, auto& random) {
       constexpr double infinity = std::numeric_limits<double>::infinity();
       if (random() % 1000 == 0) return random() % 2 == 0 ? infinity : -infinity;
       if (random() % 5000 == 0) return std::numeric_limits<double>::signaling_NaN();
       return with_exponent(one_of(-60, 60, random), random);
     }},
};

/// Calls `function` with an integral constant for each number of bins.
template <class Function>
void for_each_bins(Function function) {
  [&]<int... less>(std::integer_sequence<int, less...>) {
    (function(std::integral_constant<int, less + 1>()), ...);
  }
  (std::make_integer_sequence<int, runtime::Bins::most>());
}

}  // namespace bracket::testing
