// SPDX-License-Identifier: MIT

#include "bracket/runtime/pre_rounded.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "bracket/runtime/kernel.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::runtime {

namespace {

constexpr std::uint64_t magnitude_bits = ~(std::uint64_t{1} << 63);

std::uint64_t magnitude_of(double number) {
  return std::bit_cast<std::uint64_t>(number) & magnitude_bits;
}

double power_of_two(int exponent) { return std::ldexp(1.0, exponent); }

}  // namespace

PreRounding PreRounding::of(double largest, Index terms, int levels) {
  if (terms > most_terms) {
    throw Error(text(terms, " terms: pre-rounded adds at most 2^52; binned adds more"));
  }
  PreRounding made;
  made.levels = levels;
  if (!std::isfinite(largest)) {
    made.kind = Kind::not_finite;
    return made;
  }
  if (largest == 0) return made;
  made.kind = Kind::numbers;
  const int top = std::ilogb(largest) + 1;
  const int of_terms =
      std::max(2, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(terms - 1))));
  // The largest constant is 1.5 * 2^(top + of_terms - 1).
  constexpr int room = std::numeric_limits<double>::max_exponent - 1;
  made.exponent = std::max(0, top + of_terms - room);
  made.scale = power_of_two(-made.exponent);
  int unit = top + of_terms - 53 - made.exponent;
  for (int k = 0; k < levels; ++k, unit += of_terms - 54) {
    constexpr int least = std::numeric_limits<double>::min_exponent - 53;  // of a subnormal
    made.constants[k] = 1.5 * power_of_two(52 + std::max(unit, least));
  }
  return made;
}

template <int K>
void PreRoundedSum<K>::prepare() {
  static_assert(std::is_trivially_copyable_v<Value> && sizeof(Value) == 8 * K);
  if (kernel == nullptr) kernel = &select_kernel();
  set_magnitude(1, 1 << 20);
}

template <int K>
void PreRoundedSum<K>::set_magnitude(double largest, Index terms) const {
  *rounding = PreRounding::of(largest, terms, K);
}

template <int K>
Levels<K> PreRoundedSum<K>::value(const double& element, Index index) const {
  return fold(&element, 1, 1, index);
}

template <int K>
Levels<K> PreRoundedSum<K>::fold(const double* elements, Index count, Index, Index) const {
  Value sum{};
  switch (rounding->kind) {
    case PreRounding::Kind::numbers:
      kernel->pre_rounded(elements, count, *rounding, sum.sums);
      break;
    case PreRounding::Kind::zeros:
      sum.sums[0] = elements[0];
      for (Index i = 1; i < count; ++i) sum.sums[0] += elements[i];
      break;
    case PreRounding::Kind::not_finite:
      for (Index i = 0; i < count; ++i) {
        if (!std::isfinite(elements[i])) sum.sums[0] += elements[i];
      }
  }
  return sum;
}

template <int K>
Levels<K> PreRoundedSum<K>::join(const Value& left, const Value& right) const {
  Value sum;
  for (int k = 0; k < K; ++k) sum.sums[k] = left.sums[k] + right.sums[k];
  return sum;
}

template <int K>
double PreRoundedSum<K>::finish(const Value& value) const {
  if (rounding->kind != PreRounding::Kind::numbers) return canonical(value.sums[0]);
  double sum = value.sums[K - 1];
  for (int k = K - 2; k >= 0; --k) sum = value.sums[k] + sum;
  return canonical(std::ldexp(sum, rounding->exponent));
}

/// The error of the last addition tells whether it was exact.
template <int K>
double PreRoundedSum<K>::finish_to_odd(const Value& value) const {
  double rest = 0;
  if constexpr (K > 1) {
    rest = value.sums[K - 1];
    for (int k = K - 2; k > 0; --k) rest = value.sums[k] + rest;
  }
  const double first = value.sums[0];
  if (rest == 0) return canonical(std::ldexp(first, rounding->exponent));  // keeps -0
  double sum = first + rest;
  const double back = sum - first;
  const double error = (first - (sum - back)) + (rest - back);
  if (error != 0 && std::bit_cast<std::uint64_t>(sum) % 2 == 0) {
    const double infinity = std::numeric_limits<double>::infinity();
    sum = std::nextafter(sum, error > 0 ? infinity : -infinity);
  }
  return canonical(std::ldexp(sum, rounding->exponent));
}

template struct PreRoundedSum<1>;
template struct PreRoundedSum<2>;
template struct PreRoundedSum<3>;
template struct PreRoundedSum<4>;

void LargestMagnitude::prepare() {
  if (kernel == nullptr) kernel = &select_kernel();
}

std::uint64_t LargestMagnitude::value(const double& element, Index) const {
  return magnitude_of(element);
}

std::uint64_t LargestMagnitude::fold(const double* elements, Index count, Index, Index) const {
  constexpr Index block = 2048;  // stays in the first cache for the second look
  std::uint64_t largest = 0;
  for (Index begin = 0; begin < count; begin += block) {
    const Index size = std::min(block, count - begin);
    largest = std::max({largest, magnitude_of(kernel->float64.minimum(elements + begin, size)),
                        magnitude_of(kernel->float64.maximum(elements + begin, size))});
  }
  return largest;
}

std::uint64_t LargestMagnitude::join(const Value& left, const Value& right) const {
  return std::max(left, right);
}

double LargestMagnitude::finish(const Value& value) const { return std::bit_cast<double>(value); }

}  // namespace bracket::runtime
