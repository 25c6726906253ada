// SPDX-License-Identifier: MIT

#pragma once

#include <type_traits>

#include "bracket/model/range.hpp"
#include "bracket/runtime/fold.hpp"
#include "bracket/runtime/kernel.hpp"
#include "bracket/runtime/results.hpp"
#include "bracket/runtime/stochastic.hpp"

namespace bracket::runtime {

/// Sum of float64 in discrete stochastic arithmetic: the mean of three samples of the sum, whose
/// additions are rounded up or down at random. The random bits of an addition depend on the range
/// of elements of its result, so that the samples have the same bits on any number of ranks. With
/// the height h of the tree, each sample is off by at most γ_h Σ|x|, for the unit roundoff 2^-52 of
/// directed rounding.
///
/// It is an operation (see reductions.hpp).
struct StochasticSum {
  using Element = double;
  using Value = StochasticValue<double>;
  using Result = double;

  const Kernel* kernel = nullptr;
  static constexpr bool associative = false;

  /// Takes the kernel of `select_kernel` if none is given, and throws as `select_kernel` does.
  void prepare() {
    if (kernel == nullptr) kernel = &select_kernel();
  }
  [[nodiscard]] Value value(double element, Index index) const { return Value::of(element, index); }
  [[nodiscard]] Value fold(const double* elements, Index count, Index chunk, Index index) const {
    if (chunk == 1) return kernel->stochastic(elements, count, index);
    return fold_elements<Value>(
        count, chunk, [=](Index i) { return Value::of(elements[i], index + i); },
        [](const Value& left, const Value& right) { return left + right; });
  }
  [[nodiscard]] Value join(const Value& left, const Value& right) const { return left + right; }
  /// The mean of the samples; a NaN is the quiet NaN of `canonical`.
  [[nodiscard]] double finish(const Value& value) const {
    return canonical(mean_of(value.samples));
  }
  /// Of a result with at most `most` decimal digits.
  [[nodiscard]] Accuracy accuracy(const Value& value, double most) const {
    return {estimated_digits(value.samples, most), value.cancellations};
  }
};

static_assert(sizeof(StochasticSum::Value) == 48, "no padding: the bytes travel");
static_assert(std::is_trivially_copyable_v<StochasticSum::Value>);

}  // namespace bracket::runtime
