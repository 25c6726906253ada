// SPDX-License-Identifier: MIT

#pragma once

#include <bit>
#include <cstdint>

#include "bracket/model/range.hpp"
#include "bracket/runtime/fold.hpp"
#include "bracket/runtime/kernel.hpp"

namespace bracket::runtime {

/// A sum with about twice the digits of a double: high + low. `high` is the nearest double.
struct DoubleDouble {
  double high = 0;
  double low = 0;

  /// Knuth's and Bailey's DDPDD, as in He and Ding: "Using Accurate Arithmetics to Improve
  /// Numerical Reproducibility and Stability in Parallel Applications", J. of Supercomputing 18
  /// (2001) 259. The error is at most 2^-104 (|left| + |right|).
  ///
  /// Three cases differ from the published sum, but not where that is finite and not zero:
  ///
  /// - An infinity or NaN has the low part 0. The published sum of two infinities is a NaN.
  /// - A sum with the largest double does not overflow in between, as the published one can.
  /// - −0 + −0 is −0.
  ///
  /// The sum is not commutative: the last bit of `low` depends on which low part is added first.
  /// Always inlined: see operators.hpp.
  [[gnu::always_inline]] friend constexpr DoubleDouble operator+(const DoubleDouble& left,
                                                                 const DoubleDouble& right) {
    const Steps steps = published(left, right);
    return steps.usual ? DoubleDouble{steps.high, steps.low} : unusual(left, right, steps);
  }

  /// The steps of the published sum.
  struct Steps {
    double sum;   ///< of the high parts
    double rest;  ///< what that loses, and the low parts
    double high;
    double low;
    bool usual;  ///< whether `high` and `low` are those of the sum
  };
  [[gnu::always_inline]] static constexpr Steps published(const DoubleDouble& left,
                                                          const DoubleDouble& right) {
    const double sum = left.high + right.high;
    const double of_right = sum - left.high;
    const double lost = (right.high - of_right) + (left.high - (sum - of_right));
    const double rest = lost + left.low + right.low;
    const double nearest = sum + rest;
    return {sum, rest, nearest, rest - (nearest - sum),
            nearest != 0 && __builtin_isfinite(nearest)};
  }

  /// The sum in the three cases.
  [[gnu::always_inline]] static constexpr DoubleDouble unusual(const DoubleDouble& left,
                                                               const DoubleDouble& right,
                                                               const Steps& steps) {
    // −0 + 0 would be +0.
    if (__builtin_isfinite(steps.rest)) return {steps.rest == 0 ? steps.sum : steps.high, 0};
    if (!__builtin_isfinite(steps.sum)) return {steps.sum, 0};
    // The sum less the left number overflows although the sum does not: the right number is the
    // largest double. Dekker's formula for the lost part, with the larger operand first, does not
    // overflow.
    const double rest_of_largest = (left.high - (steps.sum - right.high)) + left.low + right.low;
    const double rounded = steps.sum + rest_of_largest;
    if (!__builtin_isfinite(rounded)) return {rounded, 0};
    return {rounded, rest_of_largest - (rounded - steps.sum)};
  }
};

/// Sum of float64 in double-double arithmetic, rounded at the end. The error is at most
/// ⌈log2 N⌉ · 2^-104 · Σ|x| plus half a unit in the last place. The bits depend on the bracketing,
/// which the order fixes.
struct DoubleDoubleSum {
  using Element = double;
  using Value = DoubleDouble;
  using Result = double;

  const Kernel* kernel = nullptr;
  static constexpr bool associative = false;

  /// Takes the kernel of `select_kernel` if none is given, and throws as `select_kernel` does.
  void prepare() {
    if (kernel == nullptr) kernel = &select_kernel();
  }
  [[nodiscard]] DoubleDouble value(double element, Index /*index*/) const { return {element, 0}; }
  [[nodiscard]] DoubleDouble fold(const double* elements, Index count, Index chunk,
                                  Index index) const {
    if (chunk == 1) return kernel->double_double(elements, count);
    const auto element = [=, this](Index i) { return value(elements[i], index + i); };
    const auto add = [](const DoubleDouble& left, const DoubleDouble& right) {
      return left + right;
    };
    return fold_elements<DoubleDouble>(count, chunk, element, add);
  }
  [[nodiscard]] DoubleDouble join(const DoubleDouble& left, const DoubleDouble& right) const {
    return left + right;
  }
  /// The nearest double; a NaN is the quiet NaN of `canonical`.
  [[nodiscard]] double finish(const DoubleDouble& value) const {
    return canonical(value.low == 0 ? value.high : value.high + value.low);
  }
  /// The sum rounded to odd: if it is not a double, the neighbouring double whose last bit is 1.
  /// Rounding that to fewer digits gives the sum rounded only once.
  [[nodiscard]] double finish_to_odd(const DoubleDouble& value) const {
    const double sum = finish(value);
    const double of_low = sum - value.high;
    const double lost = (value.low - of_low) + (value.high - (sum - of_low));
    if (lost == 0 || !__builtin_isfinite(sum) || !__builtin_isfinite(lost)) return sum;
    const auto bits = std::bit_cast<std::uint64_t>(sum);
    if ((bits & 1) != 0) return sum;
    return std::bit_cast<double>((lost > 0) == (sum > 0) ? bits + 1 : bits - 1);
  }
};

}  // namespace bracket::runtime
