#pragma once

#include "kernels/simd_vectors.hpp"

// Included by files that are compiled for one instruction set each; see vectors.hpp.

namespace bracket::runtime::kernel_folds {

/// Folds a block as several streams, one for each lane.
///
///     block    | stream 0 | stream 1 | stream 2 | stream 3 |     of `apart` elements each
///
/// One vector of each stream, merged by all stages, becomes one vector in which lane q is the tree
/// over consecutive elements of stream q. All further levels but the last ones join vectors lane by
/// lane, without shuffles. In memory, several streams keep more cache misses under way than one.
template <class Number, class Isa, class Operator>
struct Streams {
  using V = SimdVectors<Number, Isa, Operator>;
  using Vector = typename V::Vector;

  /// Elements of a stream in a cache. Sixteen streams that begin 2 KiB apart would be in the same
  /// few sets of the first cache.
  static constexpr Index usual = V::lanes <= 8 ? 512 : 256;

  /// Elements of a stream in memory: longer streams suit the prefetchers.
  static constexpr Index in_memory = 2048;

  /// Levels of vectors that are joined in registers: about 32 vectors are loaded for one entry on
  /// the stack.
  static constexpr int levels = V::lanes >= 8 ? 2 : 3;

  /// The shortest stream.
  static constexpr Index least = V::lanes << levels;

  /// The tree over the `lanes` · `apart` elements of a block. `apart` is a power of two and at
  /// least `least`.
  [[gnu::noinline]] static Number fold(const Number* x, Index apart) {
    // Vectors that wait for their neighbours, as in `Pending`.
    Vector pending[32];
    int depth = 0;
    for (Index i = 0, number = 0; i < apart; i += least, ++number) {
      Vector value = level<levels>(x + i, apart);
      for (Index carry = number; (carry & 1) != 0; carry >>= 1) {
        value = Operator()(pending[--depth], value);
      }
      pending[depth++] = value;
    }
    return V::template finish<0>(pending[0]);
  }

 private:
  /// In lane q, the tree over `lanes` · 2^Level consecutive elements of stream q.
  template <int Level>
  [[gnu::always_inline]] static Vector level(const Number* x, Index apart) {
    if constexpr (Level == 0) {
      return merged<V::stages>(x, apart);
    } else {
      // Sequenced by address; the operands of a call would not be.
      const Vector left = level<Level - 1>(x, apart);
      const Vector right = level<Level - 1>(x + (V::lanes << (Level - 1)), apart);
      return Operator()(left, right);
    }
  }

  /// One vector of each of 2^Stages neighbouring streams, merged by that many stages.
  template <int Stages>
  [[gnu::always_inline]] static Vector merged(const Number* x, Index apart) {
    if constexpr (Stages == 0) {
      return V::load_once(x);
    } else {
      const Vector left = merged<Stages - 1>(x, apart);
      const Vector right = merged<Stages - 1>(x + (apart << (Stages - 1)), apart);
      return V::template merge<Stages - 1>(left, right);
    }
  }
};

}  // namespace bracket::runtime::kernel_folds
