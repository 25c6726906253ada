// SPDX-License-Identifier: MIT

#include <algorithm>

#include "bracket/runtime/double_double.hpp"
#include "bracket/runtime/fold.hpp"
#include "bracket/runtime/stochastic.hpp"
#include "kernels/bins.hpp"
#include "kernels/kernels.hpp"

namespace bracket::runtime::kernel_folds {

namespace {

/// Written for readability: the reference for all other kernels.
template <class Number, class Operator>
Number fold(const Number* elements, Index count) {
  if (count == 0) return Operator::template of_nothing<Number>;
  return bracket::fold(elements, count, 1, Operator());
}

template <class Number>
Number fold_products(const Number* elements, const Number* factors, Index count) {
  return fold_elements<Number>(
      count, 1, [=](Index i) { return elements[i] * factors[i]; }, Sum());
}

template <class Number>
constexpr Folds<Number> make_folds() {
  return {fold<Number, Sum>, fold<Number, Product>, fold<Number, Minimum>, fold<Number, Maximum>,
          fold_products<Number>};
}

DoubleDouble double_double(const double* elements, Index count) {
  if (count == 0) return {};
  return fold_elements<DoubleDouble>(
      count, 1,
      [=](Index i) {
        return DoubleDouble{elements[i], 0};
      },
      [](const DoubleDouble& left, const DoubleDouble& right) { return left + right; });
}

StochasticValue<double> stochastic(const double* elements, Index count, Index index) {
  using Value = StochasticValue<double>;
  if (count == 0) return Value{};
  return fold_elements<Value>(
      count, 1, [=](Index i) { return Value::of(elements[i], index + i); },
      [](const Value& left, const Value& right) { return left + right; });
}

void copy_rows(const std::byte* from, Index distance, Index rows, Index bytes, std::byte* to) {
  for (Index i = 0; i < rows; ++i) std::copy_n(from + i * distance, bytes, to + i * bytes);
}

template <int K>
Binned<K> fold_binned(const double* elements, Index count) {
  Binned<K> sum{};
  for (Index i = 0; i < count; ++i) bins::add(sum, elements[i]);
  return sum;
}

template <int K>
Binned<K> fold_binned_products(const double* elements, const double* factors, Index count) {
  Binned<K> sum{};
  for (Index i = 0; i < count; ++i) bins::add(sum, elements[i] * factors[i]);
  return sum;
}

}  // namespace

constexpr Folds<double> scalar_float64 = make_folds<double>();
constexpr Folds<float> scalar_float32 = make_folds<float>();
constexpr DoubleDoubleKernel scalar_double_double = double_double;
constexpr StochasticKernel scalar_stochastic = stochastic;
constexpr BinnedFolds scalar_binned = {
    {fold_binned<1>, fold_binned<2>, fold_binned<3>, fold_binned<4>, fold_binned<5>, fold_binned<6>,
     fold_binned<7>, fold_binned<8>},
    {fold_binned_products<1>, fold_binned_products<2>, fold_binned_products<3>,
     fold_binned_products<4>, fold_binned_products<5>, fold_binned_products<6>,
     fold_binned_products<7>, fold_binned_products<8>}};
constexpr CopyRows scalar_copy_rows = copy_rows;

}  // namespace bracket::runtime::kernel_folds
