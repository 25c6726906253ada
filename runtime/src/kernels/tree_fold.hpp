// SPDX-License-Identifier: MIT

#pragma once

#include <bit>
#include <cstdint>

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
    const Number left = by_streams(x, block);
    if (count == block) return left;
    return Operator()(left, fold(x + block, count - block));
  }

  /// A complete tree over `count` elements, at least `least_of_streams`.
  [[gnu::always_inline]] static Number by_streams(Source x, Index count) {
    if constexpr (requires { Isa::short_is_faster(x, count); }) {
      using Short = typename Isa::Short;
      using Same = decltype(x.template by<Short>());
      if (Isa::short_is_faster(x, count)) {
        return Streams<Number, Short, Operator, Same>::fold(x.template by<Short>(), count);
      }
    }
    return S::fold(x, count);
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

}  // namespace bracket::runtime::kernel_folds
