// SPDX-License-Identifier: MIT

#include <algorithm>
#include <utility>

#include "bracket/runtime/double_double.hpp"
#include "bracket/runtime/fold.hpp"
#include "bracket/runtime/pre_rounded.hpp"
#include "bracket/runtime/stochastic.hpp"
#include "kernels/bins.hpp"
#include "kernels/kernels.hpp"

namespace bracket::runtime::kernel_folds {

namespace {

/// Written for readability: the reference for all other kernels.
template <class Number, class Operator>
Number fold_in_chunks(const Number* elements, Index count, Index chunk) {
  return bracket::fold(elements, count, chunk, Operator());
}

template <class Number, class Operator>
Number fold(const Number* elements, Index count) {
  if (count == 0) return Operator::template of_nothing<Number>;
  return fold_in_chunks<Number, Operator>(elements, count, 1);
}

template <class Number>
Number fold_products_in_chunks(const Number* elements, const Number* factors, Index count,
                               Index chunk) {
  return fold_elements<Number>(
      count, chunk, [=](Index i) { return elements[i] * factors[i]; }, Sum());
}

template <class Number>
Number fold_products(const Number* elements, const Number* factors, Index count) {
  return fold_products_in_chunks(elements, factors, count, 1);
}

/// `element(row, i)` is an element of a row.
template <class Number, class Operator, class Element>
Number* fold_units_of(Element element, Index rows, Index count, Index unit,
                      Waiting<Number>& waiting, Number* to) {
  for (Index row = 0; row < rows; ++row) {
    for (Index i = 0; i < count; ++i) {
      Number* const begin = waiting.room + waiting.first;
      begin[waiting.count++] = element(row, i);
      if (waiting.count < unit) continue;
      *to++ = fold<Number, Operator>(begin, unit);
      waiting.count = 0;
    }
  }
  return to;
}

template <class Number, class Operator>
Number* fold_units(RowsOf<Number> elements, Index rows, Index count, Index unit,
                   Waiting<Number>& waiting, Number* to) {
  return fold_units_of<Number, Operator>([=](Index row, Index i) { return elements.row(row)[i]; },
                                         rows, count, unit, waiting, to);
}

template <class Number>
Number* fold_units_of_products(RowsOf<Number> elements, RowsOf<Number> factors, Index rows,
                               Index count, Index unit, Waiting<Number>& waiting, Number* to) {
  return fold_units_of<Number, Sum>(
      [=](Index row, Index i) { return elements.row(row)[i] * factors.row(row)[i]; }, rows, count,
      unit, waiting, to);
}

template <class Number>
constexpr Folds<Number> make_folds() {
  return {fold<Number, Sum>,
          fold<Number, Product>,
          fold<Number, Minimum>,
          fold<Number, Maximum>,
          fold_products<Number>,
          fold_in_chunks<Number, Sum>,
          fold_in_chunks<Number, Product>,
          fold_products_in_chunks<Number>,
          fold_units<Number, Sum>,
          fold_units<Number, Product>,
          fold_units_of_products<Number>};
}

template <class Operator>
double fold_widened(const float* elements, Index count) {
  if (count == 0) return Operator::template of_nothing<double>;
  return fold_elements<double>(
      count, 1, [=](Index i) { return static_cast<double>(elements[i]); }, Operator());
}

double fold_widened_products(const float* elements, const float* factors, Index count) {
  if (count == 0) return Sum::of_nothing<double>;
  return fold_elements<double>(
      count, 1, [=](Index i) { return static_cast<double>(elements[i]) * factors[i]; }, Sum());
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
Binned<K> fold_binned(const double* elements, Index count, int width) {
  Binned<K> sum{};
  for (Index i = 0; i < count; ++i) bins::add(sum, elements[i], width);
  return sum;
}

template <int K>
Binned<K> fold_binned_products(const double* elements, const double* factors, Index count,
                               int width) {
  Binned<K> sum{};
  for (Index i = 0; i < count; ++i) bins::add(sum, elements[i] * factors[i], width);
  return sum;
}

template <int K>
Binned<K> fold_exact_products(const double* elements, const double* factors, Index count,
                              int width) {
  Binned<K> sum{};
  for (Index i = 0; i < count; ++i) bins::add_product(sum, elements[i], factors[i], width);
  return sum;
}

template <int... less>
constexpr BinnedFolds make_binned_folds(std::integer_sequence<int, less...>) {
  return {{fold_binned<less + 1>...},
          {fold_binned_products<less + 1>...},
          {fold_exact_products<less + 1>...}};
}

void pre_rounded(const double* elements, Index count, const PreRounding& rounding, double* sums) {
  std::fill_n(sums, rounding.levels, 0.0);
  for (Index i = 0; i < count; ++i) {
    double rest = elements[i] * rounding.scale;
    for (int k = 0; k < rounding.levels; ++k) {
      const double multiple = (rounding.constants[k] + rest) - rounding.constants[k];
      sums[k] += multiple;
      rest -= multiple;
    }
  }
}

}  // namespace

constexpr Folds<double> scalar_float64 = make_folds<double>();
constexpr Folds<float> scalar_float32 = make_folds<float>();
constexpr WidenedFolds scalar_widened = {fold_widened<Sum>, fold_widened<Product>,
                                         fold_widened_products};
constexpr DoubleDoubleKernel scalar_double_double = double_double;
constexpr StochasticKernel scalar_stochastic = stochastic;
constexpr BinnedFolds scalar_binned =
    make_binned_folds(std::make_integer_sequence<int, Bins::most>());
constexpr PreRoundedKernel scalar_pre_rounded = pre_rounded;
constexpr CopyRows scalar_copy_rows = copy_rows;

}  // namespace bracket::runtime::kernel_folds
