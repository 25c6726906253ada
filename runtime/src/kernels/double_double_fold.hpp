// SPDX-License-Identifier: MIT

#pragma once

#include <bit>
#include <utility>

#include "bracket/runtime/double_double.hpp"

// Included by files that are compiled for one instruction set each; see simd_vectors.hpp.

namespace bracket::runtime::kernel_folds {

/// Folds doubles by the tree order in double-double arithmetic.
///
/// The vectors add as published, without a branch. They differ from `DoubleDouble` for infinities,
/// NaNs and zeros, but the sum of the block shows where: a value that is not finite stays so, and a
/// zero's sign is lost only in sums of zeros.
template <class Isa>
struct DoubleDoubleFold {
  typedef double Vector __attribute__((vector_size(Isa::bytes)));
  typedef double Anywhere
      __attribute__((vector_size(Isa::bytes), aligned(alignof(double)), may_alias));

  static constexpr Index lanes = Isa::bytes / sizeof(double);
  static constexpr int stages = std::countr_zero(static_cast<unsigned>(lanes));

  /// Replaces `DoubleDouble`, whose constructor would be shared between instruction sets.
  struct Scalar {
    double high, low;
  };
  struct Lanes {
    Vector high, low;
  };

  /// Levels of the blocks that cover all but the last elements.
  static constexpr int levels = 8;
  static constexpr Index widest = lanes << levels;
  /// Fewer elements than this are folded one by one.
  static constexpr Index few = 2 * lanes;

  static DoubleDouble fold(const double* x, Index count) {
    if (count == 0) return {0, 0};
    const Scalar sum = count < few      ? one_by_one(x, count)
                       : count < widest ? rest<widest / 2>(x, count)
                                        : many(x, count);
    return {sum.high, sum.low};
  }

 private:
  [[gnu::always_inline]] static Scalar join(Scalar left, Scalar right) {
    const DoubleDouble sum =
        DoubleDouble{left.high, left.low} + DoubleDouble{right.high, right.low};
    return {sum.high, sum.low};
  }

  /// The tree over few elements, or over a block whose sum is not finite.
  [[gnu::noinline]] static Scalar one_by_one(const double* x, Index count) {
    return fold_elements<Scalar>(
        count, 1,
        [=](Index i) {
          return Scalar{x[i], 0};
        },
        [](Scalar left, Scalar right) { return join(left, right); });
  }

  [[gnu::noinline]] static Scalar many(const double* x, Index count) {
    const auto add = [](Scalar left, Scalar right) { return join(left, right); };
    Pending<Scalar, decltype(add)> pending(add);
    const Index whole = count / widest;
    for (Index i = 0; i < whole; ++i) pending.add(i, bracket<widest>(x + i * widest));
    if (const Index done = whole * widest; done < count) {
      pending.add_rest(rest<widest / 2>(x + done, count - done));
    }
    return pending.finish();
  }

  /// The tree over 1 ≤ count < 2 · Most elements: complete trees, each at most half as large as the
  /// one before, joined from the right.
  template <Index Most>
  [[gnu::noinline]] static Scalar rest(const double* x, Index count) {
    if constexpr (Most < few) {
      return one_by_one(x, count);
    } else {
      if ((count & Most) == 0) return rest<Most / 2>(x, count);
      const Scalar left = bracket<Most>(x);
      if (count == Most) return left;
      return join(left, rest<Most / 2>(x + Most, count - Most));
    }
  }

  /// A complete tree over Count elements, a power of two.
  template <Index Count>
  [[gnu::always_inline]] static Scalar bracket(const double* x) {
    constexpr int level = std::countr_zero(static_cast<unsigned>(Count / lanes));
    const Lanes sums = finish<level>(block<level>(x));
    const Scalar sum{sums.high[0], sums.low[0]};
    if (sum.high == 0) return {signed_zero(x, Count), 0};
    return __builtin_isfinite(sum.high) ? sum : one_by_one(x, Count);
  }

  /// −0 if all elements are −0, otherwise +0.
  [[gnu::noinline]] static double signed_zero(const double* x, Index count) {
    for (Index i = 0; i < count; ++i) {
      if (x[i] != 0 || __builtin_signbit(x[i]) == 0) return 0;
    }
    return -0.0;
  }

  /// Same as `operator+` of `DoubleDouble` in each lane, without its special cases.
  [[gnu::always_inline]] static Lanes add(Lanes left, Lanes right) {
    const Vector sum = left.high + right.high;
    const Vector of_right = sum - left.high;
    const Vector lost = (right.high - of_right) + (left.high - (sum - of_right));
    const Vector rest = lost + left.low + right.low;
    const Vector high = sum + rest;
    return {high, rest - (high - sum)};
  }

  /// Adds elements, which have no low parts. The error term (`lost`) is never −0.
  [[gnu::always_inline]] static Lanes add(Vector left, Vector right) {
    const Vector sum = left + right;
    const Vector of_right = sum - left;
    const Vector lost = (right - of_right) + (left - (sum - of_right));
    const Vector high = sum + lost;
    return {high, lost - (high - sum)};
  }

  /// The left neighbours (`Right` = 0) or the right neighbours (1) in `a` and in `b`. In stage 0
  /// the neighbours are lanes, in all others pairs of lanes, that is 128 bits of a register.
  ///
  ///     stage 0   a0 b0 a2 b2 a4 b4 a6 b6     others   a0 a1 a4 a5 b0 b1 b4 b5
  ///               a1 b1 a3 b3 a5 b5 a7 b7              a2 a3 a6 a7 b2 b3 b6 b7
  ///
  /// After all stages in turn, the lanes hold sums of brackets in the order of the elements, as at
  /// the start. Each takes one shuffle. DDPDD is not commutative.
  template <int Stage, int Right, int... lane>
  [[gnu::always_inline]] static Vector neighbours(Vector a, Vector b,
                                                  std::integer_sequence<int, lane...>) {
    constexpr int of_b = static_cast<int>(lanes);
    if constexpr (Stage == 0) {
      return __builtin_shufflevector(a, b, ((lane & ~1) + Right + (lane & 1 ? of_b : 0))...);
    } else {
      return __builtin_shufflevector(a, b, (lane / 2 * 4 + lane % 2 + 2 * Right)...);
    }
  }
  template <int Stage, int Right>
  [[gnu::always_inline]] static Vector neighbours(Vector a, Vector b) {
    return neighbours<Stage, Right>(a, b,
                                    std::make_integer_sequence<int, static_cast<int>(lanes)>{});
  }

  template <int Stage>
  [[gnu::always_inline]] static Lanes merge(Lanes a, Lanes b) {
    return add(Lanes{neighbours<Stage, 0>(a.high, b.high), neighbours<Stage, 0>(a.low, b.low)},
               Lanes{neighbours<Stage, 1>(a.high, b.high), neighbours<Stage, 1>(a.low, b.low)});
  }

  /// The tree over `lanes` · 2^Level elements, except the last `stages` levels. On each level the
  /// vectors are merged in pairs, by the stages in turn.
  template <int Level>
  [[gnu::always_inline]] static Lanes block(const double* x) {
    const double* const second = x + (lanes << (Level - 1));
    if constexpr (Level == 1) {
      const Vector a = *reinterpret_cast<const Anywhere*>(x);
      const Vector b = *reinterpret_cast<const Anywhere*>(second);
      return add(neighbours<0, 0>(a, b), neighbours<0, 1>(a, b));
    } else {
      const Lanes left = half<Level - 1>(x);
      const Lanes right = half<Level - 1>(second);
      return merge<(Level - 1) % stages>(left, right);
    }
  }

  /// One of the two blocks that are merged. All larger blocks share the code for 32 vectors.
  template <int Level>
  [[gnu::always_inline]] static Lanes half(const double* x) {
    if constexpr (Level == 5) return block_apart<Level>(x);
    return block<Level>(x);
  }
  template <int Level>
  [[gnu::noinline]] static Lanes block_apart(const double* x) {
    return block<Level>(x);
  }

  /// The last levels of the tree, in lane 0: a block merged with itself.
  template <int Level, int Left = stages>
  [[gnu::always_inline]] static Lanes finish(Lanes block) {
    if constexpr (Left == 0) {
      return block;
    } else {
      return finish<Level + 1, Left - 1>(merge<Level % stages>(block, block));
    }
  }
};

}  // namespace bracket::runtime::kernel_folds
