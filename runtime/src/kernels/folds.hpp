// SPDX-License-Identifier: MIT

#pragma once

#include <type_traits>

#include "bracket/runtime/kernel.hpp"
#include "kernels/chunk_fold.hpp"
#include "kernels/tree_fold.hpp"
#include "kernels/units.hpp"

// Included by files that are compiled for one instruction set each; see simd_vectors.hpp.

namespace bracket::runtime::kernel_folds {

/// Folds in an order of its own with several accumulators. Correct for associative operators.
template <class Number, class Isa, class Operator>
struct UnorderedFold {
  using V = SimdVectors<Number, Isa, Operator>;
  using Vector = typename V::Vector;

  static Number fold(const Number* x, Index count) {
    return fold(x, count, [](auto loaded) { return loaded; });
  }

  /// Folds the results of `change` for each element or vector of elements.
  template <class Change>
  [[gnu::always_inline]] static Number fold(const Number* x, Index count, Change change) {
    constexpr Operator join;
    const auto load = [=](Index i) { return change(V::load(x + i)); };
    constexpr Index stride = 8 * V::lanes;
    Number result = Operator::template of_nothing<Number>;
    Index i = 0;
    if (count >= stride) {
      Vector sums[8];
      for (int k = 0; k < 8; ++k) sums[k] = load(k * V::lanes);
      for (i = stride; i + stride <= count; i += stride) {
        for (int k = 0; k < 8; ++k) sums[k] = join(sums[k], load(i + k * V::lanes));
      }
      const auto pair = [&](int k) { return join(sums[k], sums[k + 4]); };
      result = V::template finish<0>(join(join(pair(0), pair(1)), join(pair(2), pair(3))));
    }
    if (i + V::lanes <= count) {
      Vector sum = load(i);
      for (i += V::lanes; i + V::lanes <= count; i += V::lanes) sum = join(sum, load(i));
      result = join(result, V::template finish<0>(sum));
    }
    for (; i < count; ++i) result = join(result, change(x[i]));
    return result;
  }
};

/// Each element is compared twice but loaded once, as in `SimdVectors::block`.
template <class Number, class Isa>
Number fold_minimum(const Number* x, Index count) {
  return UnorderedFold<Number, Isa, Minimum>::fold(x, count, [](auto loaded) {
    if constexpr (!std::is_same_v<decltype(loaded), Number>) Isa::keep(loaded);
    return loaded;
  });
}

/// Negates the elements: the minimum of the negated elements costs less than the maximum of the
/// elements one by one.
template <class Number, class Isa>
Number fold_maximum(const Number* x, Index count) {
  return -UnorderedFold<Number, Isa, Minimum>::fold(x, count, [](auto loaded) { return -loaded; });
}

template <class Number, class Isa, class Operator>
Number fold_tree(const Number* x, Index count) {
  using Source = Elements<Number, Isa>;
  return TreeFold<Number, Isa, Operator, Source>::fold(Source{x}, count);
}

template <class Number, class Isa>
Number fold_products(const Number* x, const Number* y, Index count) {
  using Source = Products<Number, Isa>;
  return TreeFold<Number, Isa, Sum, Source>::fold(Source{x, y}, count);
}

template <class Number, class Isa, class Operator>
Number fold_in_chunks(const Number* x, Index count, Index chunk) {
  using Source = Elements<Number, Isa>;
  return ChunkFold<Number, Isa, Operator, Source>::fold(Source{x}, count, chunk);
}

template <class Number, class Isa>
Number fold_products_in_chunks(const Number* x, const Number* y, Index count, Index chunk) {
  using Source = Products<Number, Isa>;
  return ChunkFold<Number, Isa, Sum, Source>::fold(Source{x, y}, count, chunk);
}

template <class Isa, class Operator>
double fold_widened(const float* x, Index count) {
  using Source = Widened<Isa>;
  return TreeFold<double, Isa, Operator, Source>::fold(Source{x}, count);
}

template <class Isa>
double fold_widened_products(const float* x, const float* y, Index count) {
  using Source = WidenedProducts<Isa>;
  return TreeFold<double, Isa, Sum, Source>::fold(Source{{x}, {y}}, count);
}

template <class Isa>
constexpr WidenedFolds make_widened_folds() {
  return {fold_widened<Isa, Sum>, fold_widened<Isa, Product>, fold_widened_products<Isa>};
}

/// All folds of one type by one instruction set. Associative operators fold in any order.
template <class Number, class Isa>
constexpr Folds<Number> make_folds() {
  return {fold_tree<Number, Isa, Sum>,
          fold_tree<Number, Isa, Product>,
          fold_minimum<Number, Isa>,
          fold_maximum<Number, Isa>,
          fold_products<Number, Isa>,
          fold_in_chunks<Number, Isa, Sum>,
          fold_in_chunks<Number, Isa, Product>,
          fold_products_in_chunks<Number, Isa>,
          fold_units<Number, Isa, Sum>,
          fold_units<Number, Isa, Product>,
          fold_units_of_products<Number, Isa>};
}

}  // namespace bracket::runtime::kernel_folds
