// SPDX-License-Identifier: MIT

#pragma once

#include <algorithm>

#include "kernels/simd_vectors.hpp"

// Included by files that are compiled for one instruction set each; see simd_vectors.hpp.

namespace bracket::runtime::kernel_folds {

/// Folds a block as a few streams, most often four.
///
///     block     | stream 0 | stream 1 | stream 2 | stream 3 |
///     stream    | group 0 | group 1 | group 2 | ...
///     group     | run 0 | run 1 |
///
/// A group has as many runs as fill the lanes of a vector, together with those of other streams.
///
/// The vectors at one place of all runs of group 0 of all streams, merged by all stages, become one
/// vector, in which each lane is the tree over consecutive elements of one run. The other levels
/// inside runs join vectors lane by lane, without shuffles. Groups with several runs are merged by
/// the stages of a group, and groups of one run are joined lane by lane.
///
/// Several streams keep more cache misses under way than one. But they begin at distances of powers
/// of two, so that their elements are in the same few sets of the first cache, and the processor
/// prefetches few streams at a time. Four are faster than eight or sixteen, as the benchmarks show.
/// The longer a stream, the better for the prefetchers.
template <class Number, class Isa, class Operator, class Source>
struct Streams {
  using V = SimdVectors<Number, Isa, Operator>;
  using Vector = typename V::Vector;

  /// Merging stages inside a group of 2^stages runs. The others merge streams. Two arrays have two
  /// streams each.
  static constexpr int stages_of_group =
      std::clamp(V::stages - (Source::arrays == 1 ? 2 : 1), 0, 2);
  static constexpr Index streams = V::lanes >> stages_of_group;

  /// Elements of a run: two cache lines, and at least as many vectors as are loaded together.
  static constexpr Index run =
      std::max<Index>(128 / sizeof(Number), V::lanes << V::levels_together);
  static constexpr Index group = run << stages_of_group;

  /// Levels of groups that are joined in registers: at least 32 vectors are loaded for one entry on
  /// the stack.
  static constexpr int levels =
      std::countr_zero(static_cast<unsigned>(std::max<Index>(32 * V::lanes / streams / group, 1)));

  /// The smallest block.
  static constexpr Index least = streams * group << levels;

  /// The tree over the elements of a block. `count` is a power of two and at least `least`.
  [[gnu::noinline]] static Number fold(Source x, Index count) {
    // Vectors that wait for their neighbours, as in `Pending`.
    Vector pending[64];
    int depth = 0;
    const Index apart = count / streams;
    for (Index i = 0, number = 0; i < apart; i += group << levels, ++number) {
      Vector value = groups<levels>(x + i, apart);
      int level = levels;
      for (Index carry = number; (carry & 1) != 0; carry >>= 1) {
        value = join(level++, pending[--depth], value);
      }
      pending[depth++] = value;
    }
    const int height = __builtin_ctzll(static_cast<std::uint64_t>(apart / group));
    return finish(height, pending[0]);
  }

 private:
  /// The tree over 2^Level neighbouring groups of each stream, except the levels between lanes.
  template <int Level>
  [[gnu::always_inline]] static Vector groups(Source x, Index apart) {
    if constexpr (Level == 0) {
      constexpr int level = std::countr_zero(static_cast<unsigned>(run / V::lanes));
      return V::template places<level>(x, [=](int stage) { return distance(stage, apart); });
    } else {
      // Sequenced by address; the operands of a call would not be.
      const Vector left = groups<Level - 1>(x, apart);
      const Vector right = groups<Level - 1>(x + (group << (Level - 1)), apart);
      return join(Level - 1, left, right);
    }
  }

  /// Joins two vectors of 2^level neighbouring groups. Their lanes hold runs, or parts of a group:
  /// they are merged by the stages of a group in turn.
  [[gnu::always_inline]] static Vector join(int level, Vector left, Vector right) {
    static_assert(stages_of_group <= 2);
    if constexpr (stages_of_group == 0) {
      return V::join(left, right);
    } else if (stages_of_group == 1 || level % 2 == 0) {
      return V::template merge<0>(left, right);
    } else {
      return V::template merge<1>(left, right);
    }
  }

  /// The levels between the lanes of a vector of 2^height groups.
  [[gnu::always_inline]] static Number finish(int height, Vector value) {
    if constexpr (stages_of_group == 1) value = V::template halves<0>(value);
    if constexpr (stages_of_group == 2) {
      value = height % 2 == 0 ? V::template halves<1>(V::template halves<0>(value))
                              : V::template halves<0>(V::template halves<1>(value));
    }
    return V::template finish_stages<stages_of_group>(value);
  }

  /// Elements between the runs that a stage merges: runs of one group, or of two streams.
  [[gnu::always_inline]] static Index distance(int stage, Index apart) {
    return stage < stages_of_group ? run << stage : apart << (stage - stages_of_group);
  }
};

}  // namespace bracket::runtime::kernel_folds
