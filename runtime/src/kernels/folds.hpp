// SPDX-License-Identifier: MIT

#pragma once

#include <bit>
#include <cstdint>

#include "bracket/runtime/fold.hpp"
#include "kernels/simd_vectors.hpp"
#include "kernels/streams.hpp"

// Included by files that are compiled for one instruction set each; see simd_vectors.hpp.

namespace bracket::runtime::kernel_folds {

/// Folds by the tree order in one pass. Writes only a stack of at most 64 partials.
template <class Number, class Isa, class Operator, class Source>
struct TreeFold {
  using V = SimdVectors<Number, Isa, Operator>;
  using S = Streams<Number, Isa, Operator, Source>;

  /// Blocks of fewer elements are folded as one stream.
  static constexpr Index least_of_streams = S::least;

  /// Fewer elements than this are folded one by one: vectors save less than their final levels
  /// cost.
  static constexpr Index few = 32;
  static_assert(few >= V::lanes);

  static Number fold(Source x, Index count) {
    // The shortest folds must not wait for the stack frame that the others need.
    if (count < few) {
      if (count <= 1) return count == 1 ? x.number() : Operator::template of_nothing<Number>;
      return rest_of_few<few / 2>(x, count);
    }
    if (count < 2 * few) return rest<few>(x, count);
    if (count < least_of_streams) return rest<least_of_streams / 2>(x, count);
    return blocks(x, count);
  }

 private:
  /// Complete trees, each at most half as large as the one before, joined from the right.
  [[gnu::noinline]] static Number blocks(Source x, Index count) {
    // By the compiler's own function: those of <bit> would be code that instruction sets share.
    const Index block = Index{1} << (63 - __builtin_clzll(static_cast<std::uint64_t>(count)));
    const Number left = S::fold(x, block);
    if (count == block) return left;
    return Operator()(left, fold(x + block, count - block));
  }

  /// A complete tree over Count elements, a power of two.
  template <Index Count>
  [[gnu::always_inline]] static Number bracket(Source x) {
    if constexpr (Count == 1) {
      return x.number();
    } else if constexpr (Count < few) {
      return Operator()(bracket<Count / 2>(x), bracket<Count / 2>(x + Count / 2));
    } else {
      constexpr int level = std::countr_zero(static_cast<unsigned>(Count / V::lanes));
      return V::template finish<level>(V::template block<level>(x));
    }
  }

  /// The tree over 1 ≤ count < 2 · Most elements: complete trees, each at most half as large as the
  /// one before, joined from the right.
  template <Index Most>
  [[gnu::noinline]] static Number rest(Source x, Index count) {
    if constexpr (Most < few) {
      return rest_of_few<Most>(x, count);
    } else {
      if ((count & Most) == 0) return rest<Most / 2>(x, count);
      const Number left = bracket<Most>(x);
      if (count == Most) return left;
      return Operator()(left, rest<Most / 2>(x + Most, count - Most));
    }
  }

  template <Index Most>
  [[gnu::always_inline]] static Number rest_of_few(Source x, Index count) {
    if constexpr (Most <= 1) {
      return x.number();
    } else {
      if ((count & Most) == 0) return rest_of_few<Most / 2>(x, count);
      const Number left = bracket<Most>(x);
      if (count == Most) return left;
      return Operator()(left, rest_of_few<Most / 2>(x + Most, count - Most));
    }
  }
};

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

/// All folds of one type by one instruction set. Associative operators fold in any order.
template <class Number, class Isa>
constexpr Folds<Number> make_folds() {
  return {fold_tree<Number, Isa, Sum>, fold_tree<Number, Isa, Product>, fold_minimum<Number, Isa>,
          fold_maximum<Number, Isa>, fold_products<Number, Isa>};
}

}  // namespace bracket::runtime::kernel_folds
