#pragma once

#include "bracket/model/range.hpp"
#include "bracket/runtime/fold.hpp"
#include "bracket/runtime/kernel.hpp"

namespace bracket {

/// A sum to about twice the digits of a double: high + low, of which `high` is the nearest double.
struct DoubleDouble {
  double high = 0;
  double low = 0;

  /// Knuth's and Bailey's DDPDD as He and Ding have it: "Using Accurate Arithmetics to Improve
  /// Numerical Reproducibility and Stability in Parallel Applications", J. of Supercomputing 18
  /// (2001) 259. The error is at most 2^-104 (|left| + |right|).
  ///
  /// Two things differ, neither of which changes a sum that is finite and not zero: an infinity or
  /// NaN has the low part 0, where the published sum of two infinities is a NaN; and −0 + −0 is
  /// −0. Not commutative: the last bit of `low` depends on which low part is added first.
  /// Always inlined: see operators.hpp.
  [[gnu::always_inline]] friend constexpr DoubleDouble operator+(const DoubleDouble& left,
                                                                 const DoubleDouble& right) {
    const double sum = left.high + right.high;
    const double of_right = sum - left.high;
    const double lost = (right.high - of_right) + (left.high - (sum - of_right));
    const double rest = lost + left.low + right.low;
    const double nearest = sum + rest;
    if (nearest == 0 || !__builtin_isfinite(nearest)) {
      // −0 + 0 would be +0. What is lost of finite numbers, too, can be a NaN: next to the largest
      // double, where `of_right` overflows though the sum does not.
      return {rest == 0 || !__builtin_isfinite(rest) ? sum : nearest, 0};
    }
    return {nearest, rest - (nearest - sum)};
  }
};

/// Sum of float64 in double-double arithmetic, rounded in the end. The error is at most
/// log2(N) · 2^-104 · Σ|x| and half a unit in the last place. The bits depend on the bracketing,
/// which the order fixes.
struct DoubleDoubleSum {
  using Element = double;
  using Value = DoubleDouble;
  using Result = double;

  const Kernel* kernel = nullptr;
  static constexpr bool associative = false;

  /// Takes the kernel of `select_kernel` if none is given, and throws as that does.
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
  /// The one NaN for all of them.
  [[nodiscard]] double finish(const DoubleDouble& value) const {
    return canonical(value.low == 0 ? value.high : value.high + value.low);
  }
};

}  // namespace bracket
