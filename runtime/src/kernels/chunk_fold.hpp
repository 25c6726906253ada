// SPDX-License-Identifier: MIT

#pragma once

#include "kernels/tree_fold.hpp"

// Included by files that are compiled for one instruction set each; see simd_vectors.hpp.

namespace bracket::runtime::kernel_folds {

/// Folds a bracket that begins a chunk: each chunk from left to right, then the tree over them (see
/// `Order`).
///
/// As many chunks as a vector has lanes are folded at once, one in each lane. A vector of
/// consecutive elements lies in one chunk, so as many vectors as lanes are transposed first:
///
///     chunk 0   a0 a1 a2 a3        a0 b0 c0 d0   element 0 of each chunk
///     chunk 1   b0 b1 b2 b3   ->   a1 b1 c1 d1   element 1
///     chunk 2   c0 c1 c2 c3        a2 b2 c2 d2   element 2
///     chunk 3   d0 d1 d2 d3        a3 b3 c3 d3   element 3
template <class Number, class Isa, class Operator, class Source>
struct ChunkFold {
  using V = SimdVectors<Number, Isa, Operator>;
  using Vector = typename V::Vector;
  using Values = Elements<Number, Isa>;

  static constexpr Index lanes = V::lanes;

  /// Vectors of chunks that are folded at once: while an addition to one waits for the one before
  /// it, the others go on.
  static constexpr Index groups = 2;
  static constexpr Index together = groups * lanes;

  /// Values of chunks that are folded by the tree at once, a power of two.
  static constexpr Index block = 256;
  static_assert(block % together == 0);

  /// `count` ≥ 1.
  static Number fold(Source x, Index count, Index chunk) {
    const Index chunks = (count - 1) / chunk + 1;
    Number pending[64];  // as in `Pending`
    int depth = 0;
    Number values[block + together];
    for (Index first = 0, number = 0; first < chunks; first += block, ++number) {
      const Source begin = x + first * chunk;
      const Index left = count - first * chunk;
      const Index taken = chunks - first < block ? chunks - first : block;
      const Index whole = left / chunk < taken ? left / chunk : taken;
      fold_chunks(begin, whole, chunk, values);
      if (whole < taken) values[whole] = in_sequence(begin + whole * chunk, left - whole * chunk);
      Number value = TreeFold<Number, Isa, Operator, Values>::fold(Values{values}, taken);
      for (Index carry = number; taken == block && (carry & 1) != 0; carry >>= 1) {
        value = Operator()(pending[--depth], value);
      }
      pending[depth++] = value;
    }
    Number value = pending[--depth];
    while (depth > 0) value = Operator()(pending[--depth], value);
    return value;
  }

 private:
  static Number in_sequence(Source x, Index count) {
    Number value = x.number();
    for (Index i = 1; i < count; ++i) value = Operator()(value, (x + i).number());
    return value;
  }

  /// Folds whole chunks. Writes up to `together` − 1 values more than chunks.
  [[gnu::always_inline]] static void fold_chunks(Source x, Index chunks, Index chunk,
                                                 Number* values) {
    if (chunks == 1) {
      values[0] = in_sequence(x, chunk);
      return;
    }
    for (Index first = 0; first < chunks; first += together) {
      // Lanes that are left take the last chunk once more.
      Source in_lane[together];
      Source next = x + first * chunk;
      for (Index lane = 0; lane < together; ++lane) {
        in_lane[lane] = next;
        next = next + (first + lane + 1 < chunks ? chunk : 0);
      }
      if (chunks - first > lanes) {
        side_by_side<groups>(in_lane, chunk, values + first);
      } else {
        side_by_side<1>(in_lane, chunk, values + first);
      }
    }
  }

  /// Folds chunks in the lanes of `Groups` vectors.
  template <Index Groups>
  [[gnu::noinline]] static void side_by_side(const Source* in_lane, Index chunk, Number* values) {
    Vector sums[Groups];
    Index next = chunk < lanes ? 1 : lanes;
    for (Index group = 0; group < Groups; ++group) {
      const Source* const rows = in_lane + group * lanes;
      if (chunk < lanes) {
        sums[group] = column(rows, 0);
      } else {
        Vector columns[lanes];
        transpose(rows, 0, columns);
        sums[group] = columns[0];
        for (Index i = 1; i < lanes; ++i) sums[group] = Operator()(sums[group], columns[i]);
      }
    }
    for (; next + lanes <= chunk; next += lanes) {
#pragma GCC unroll 2
      for (Index group = 0; group < Groups; ++group) {
        Vector columns[lanes];
        transpose(in_lane + group * lanes, next, columns);
#pragma GCC unroll 16
        for (Index i = 0; i < lanes; ++i) sums[group] = Operator()(sums[group], columns[i]);
      }
    }
    for (; next < chunk; ++next) {
      for (Index group = 0; group < Groups; ++group) {
        sums[group] = Operator()(sums[group], column(in_lane + group * lanes, next));
      }
    }
    for (Index group = 0; group < Groups; ++group) {
      for (Index lane = 0; lane < lanes; ++lane) values[group * lanes + lane] = sums[group][lane];
    }
  }

  /// A vector of the elements with number `i` in each lane's chunk.
  [[gnu::always_inline]] static Vector column(const Source* rows, Index i) {
    Vector found;
    for (Index lane = 0; lane < lanes; ++lane) found[lane] = (rows[lane] + i).number();
    return found;
  }

  /// Such vectors of the elements `i`, `i` + 1, … of each chunk.
  [[gnu::always_inline]] static void transpose(const Source* rows, Index i,
                                               Vector (&columns)[lanes]) {
#pragma GCC unroll 16
    for (Index lane = 0; lane < lanes; ++lane) columns[lane] = (rows[lane] + i).vector();
    V::template transpose<0>(columns);
  }
};

}  // namespace bracket::runtime::kernel_folds
