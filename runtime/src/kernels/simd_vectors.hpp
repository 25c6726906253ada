// SPDX-License-Identifier: MIT

#pragma once

#include <bit>
#include <type_traits>
#include <utility>

#include "bracket/runtime/kernel.hpp"
#include "kernels/sources.hpp"

// Included by files that are compiled for one instruction set each. Everything here must be a
// template over `Isa`, a type of that file, so that files share no instantiation.

namespace bracket::runtime::kernel_folds {

/// Vectors of `Isa::bytes` bytes in the compiler's own vector type, and joins of neighbouring
/// lanes.
///
/// `Isa::blend<stage>(a, b)` takes the lanes of `b` whose number has bit `stage`, and the others
/// from `a`. `Isa::keep(a)` keeps `a` in a register, and in the sequence of the source: compilers
/// would load more vectors ahead than there are registers. `Isa::plus(a, b)` is the sum
/// of float32. It may multiply by one before it adds, with the same bits: units that multiply and
/// add work beside those that shuffle or only add. With `Isa::shuffles_load`, both shuffles of two
/// vectors may load the right one from memory, which takes one instruction less.
template <class Number, class Isa, class Operator>
struct SimdVectors {
  using Vector = typename VectorTypes<Number, Isa>::Vector;

  static constexpr Index lanes = Isa::bytes / sizeof(Number);
  static constexpr int stages = std::countr_zero(static_cast<unsigned>(lanes));

  [[gnu::always_inline]] static Vector load(const Number* x) {
    return VectorTypes<Number, Isa>::load(x);
  }

  /// A vector that is used twice but loaded once: a load across two cache lines takes as long as
  /// the rest.
  template <class Source>
  [[gnu::always_inline]] static Vector load_once(Source x) {
    Vector loaded = x.vector();
    Isa::keep(loaded);
    return loaded;
  }

  /// Joins two vectors lane by lane.
  [[gnu::always_inline]] static Vector join(Vector a, Vector b) {
    Vector joined = Operator()(a, b);
    Isa::keep(joined);
    return joined;
  }

  /// Joins lanes 2^stage apart, of `a` and of `b`, to one vector:
  ///
  ///     stage 0   a0∘a1  b1∘b0  a2∘a3  b3∘b2     stage 1   a0∘a2  a1∘a3  b2∘b0  b3∘b1
  ///
  /// One operand of each join stays in its lane, so that one shuffle and one blend are enough; the
  /// operators are commutative.
  template <int Stage>
  [[gnu::always_inline]] static Vector merge(Vector a, Vector b) {
    return merge<Stage>(a, b, every_lane);
  }

  /// Whether three calls of `neighbours` take fewer instructions than the merges that they replace:
  /// a merge of float32 by stage 0 needs two blends.
  static constexpr bool joins_neighbours = sizeof(Number) == 4;

  /// Joins neighbours in `a` and `b`, inside of each 128 bits:
  ///
  ///     a0∘a1  a2∘a3  b0∘b1  b2∘b3
  ///
  /// Joined once more with the neighbours of `c` and `d`, these have the lanes of
  /// `merge<1>(merge<0>(a, b), merge<0>(c, d))`.
  [[gnu::always_inline]] static Vector neighbours(Vector a, Vector b) {
    return neighbours(a, b, every_lane);
  }

  /// Levels over vectors side by side that are loaded one after the other, before those of the next
  /// place. Loads that alternate between places take longer: they fall on the same sets of the
  /// first cache, and reach the cache lines of a place out of sequence.
  static constexpr int levels_together = 2;

  /// In each lane, the tree over `lanes` · 2^Level consecutive elements at one of as many places as
  /// there are lanes. The vectors at one place of each are merged by all stages, and joined lane by
  /// lane. `distance(stage)` lies between the places that a stage merges.
  template <int Level, class Source, class Distance>
  [[gnu::always_inline]] static Vector places(Source x, Distance distance) {
    if constexpr (Level <= levels_together) {
      constexpr int count = 1 << Level;
      return joined<0, count>(merged<stages, count>(x, distance));
    } else {
      // Sequenced by address; the arguments of a call would not be.
      const Vector left = places<Level - 1>(x, distance);
      return join(left, places<Level - 1>(x + (lanes << (Level - 1)), distance));
    }
  }

  /// The tree over each lane's elements of `lanes` · 2^Level consecutive ones, except the last
  /// `stages` levels. On each level the vectors are merged in pairs, by the stages in turn. After
  /// any number of levels, the lanes that the next stage joins hold the two halves of one bracket.
  template <int Level, class Source>
  [[gnu::always_inline]] static Vector block(Source x) {
    if constexpr (Level == 0) {
      return load_once(x);
    } else if constexpr (Level == 2 && joins_neighbours) {
      // Sequenced by address; the arguments of a call would not be.
      const Vector first = load_once(x);
      const Vector left = neighbours(first, load_once(x + lanes));
      const Vector third = load_once(x + 2 * lanes);
      return neighbours(left, neighbours(third, load_once(x + 3 * lanes)));
    } else {
      // Sequenced by address; the arguments of a call would not be.
      const Vector left = block<Level - 1>(x);
      const Vector right = block<Level - 1>(x + (lanes << (Level - 1)));
      return merge<(Level - 1) % stages>(left, right);
    }
  }

  /// The last levels of the tree: the value of a block.
  template <int Level, int Left = stages>
  [[gnu::always_inline]] static Number finish(Vector block) {
    if constexpr (Left == 0) {
      return block[0];
    } else {
      return finish<Level + 1, Left - 1>(halves<Level % stages>(block));
    }
  }

  /// The tree over the lanes by the stages from `Stage` on. The lanes that earlier ones join are
  /// equal.
  template <int Stage>
  [[gnu::always_inline]] static Number finish_stages(Vector block) {
    if constexpr (Stage == stages) {
      return block[0];
    } else {
      return finish_stages<Stage + 1>(halves<Stage>(block));
    }
  }

  /// Joins the lanes of `a` that are 2^Stage apart.
  template <int Stage>
  [[gnu::always_inline]] static Vector halves(Vector a) {
    return Operator()(a, swap<Stage>(a, every_lane));
  }

  /// Transposes the square of lanes, by the stages from `Stage` on.
  template <int Stage>
  [[gnu::always_inline]] static void transpose(Vector (&rows)[lanes]) {
    if constexpr (Stage < stages) {
      constexpr Index distance = Index{1} << Stage;
#pragma GCC unroll 16
      for (Index i = 0; i < lanes; ++i) {
        if ((i & distance) == 0) exchange<Stage>(rows[i], rows[i + distance], every_lane);
      }
      transpose<Stage + 1>(rows);
    }
  }

 private:
  /// Vectors of elements that lie side by side.
  template <int Count>
  struct Several {
    Vector vector[Count];
  };

  /// `Count` vectors at each of 2^Stages places, merged by that many stages.
  template <int Stages, int Count, class Source, class Distance>
  [[gnu::always_inline]] static Several<Count> merged(Source x, Distance distance) {
    Several<Count> several;
    if constexpr (Stages == 0) {
#pragma GCC unroll 4
      for (int i = 0; i < Count; ++i) several.vector[i] = load_once(x + i * lanes);
    } else if constexpr (Stages == 2 && joins_neighbours) {
      const Several<Count> left = merged_neighbours<Count>(x, distance);
      const Several<Count> right = merged_neighbours<Count>(x + distance(1), distance);
#pragma GCC unroll 4
      for (int i = 0; i < Count; ++i) {
        several.vector[i] = neighbours(left.vector[i], right.vector[i]);
      }
    } else {
      const Several<Count> left = merged<Stages - 1, Count>(x, distance);
      const Several<Count> right = merged<Stages - 1, Count>(x + distance(Stages - 1), distance);
#pragma GCC unroll 4
      for (int i = 0; i < Count; ++i) {
        several.vector[i] = merge<Stages - 1>(left.vector[i], right.vector[i]);
      }
    }
    return several;
  }

  /// `merged` by the first stage, if neighbours are joined instead.
  template <int Count, class Source, class Distance>
  [[gnu::always_inline]] static Several<Count> merged_neighbours(Source x, Distance distance) {
    Several<Count> several = merged<0, Count>(x, distance);
    const Source right = x + distance(0);
#pragma GCC unroll 4
    for (int i = 0; i < Count; ++i) {
      // A vector across two cache lines is loaded once. Of vectors of half a line, the odd ones are
      // such if a misaligned array begins in the first half of a line, as large ones mostly do.
      Vector loaded = (right + i * lanes).vector();
      if (!Isa::shuffles_load || i % 2 != 0) Isa::keep(loaded);
      several.vector[i] = neighbours(several.vector[i], loaded);
    }
    return several;
  }

  /// The tree over `Count` vectors from number `First` on, lane by lane.
  template <int First, int Count, int All>
  [[gnu::always_inline]] static Vector joined(const Several<All>& several) {
    if constexpr (Count == 1) {
      return several.vector[First];
    } else {
      const Vector left = joined<First, Count / 2>(several);
      return join(left, joined<First + Count / 2, Count / 2>(several));
    }
  }

  template <int... lane>
  [[gnu::always_inline]] static Vector neighbours(Vector a, Vector b,
                                                  std::integer_sequence<int, lane...>) {
    constexpr int of_b = static_cast<int>(lanes);
    const Vector even =
        __builtin_shufflevector(a, b, ((lane & ~3) + 2 * (lane & 1) + (lane & 2 ? of_b : 0))...);
    const Vector odd = __builtin_shufflevector(
        a, b, ((lane & ~3) + 2 * (lane & 1) + 1 + (lane & 2 ? of_b : 0))...);
    Vector joined;
    if constexpr (std::is_same_v<Operator, Sum>) {
      joined = Vector(Isa::plus(even, odd));
    } else {
      joined = Operator()(even, odd);
    }
    Isa::keep(joined);
    return joined;
  }

  static constexpr std::make_integer_sequence<int, static_cast<int>(lanes)> every_lane{};

  template <int Stage, int... lane>
  [[gnu::always_inline]] static Vector merge(Vector a, Vector b,
                                             std::integer_sequence<int, lane...>) {
    constexpr int distance = 1 << Stage;
    constexpr int of_b = static_cast<int>(lanes);
    if constexpr (sizeof(Number) == 4 && Stage == 0) {
      // No single shuffle of two vectors gives these partners.
      Vector others = Vector(Isa::template blend<Stage>(b, a));
      Isa::keep(others);
      return join(Vector(Isa::template blend<Stage>(a, b)), swap<Stage>(others, every_lane));
    } else {
      const Vector partners =
          __builtin_shufflevector(a, b, ((lane ^ distance) + (lane & distance ? of_b : 0))...);
      return join(Vector(Isa::template blend<Stage>(a, b)), partners);
    }
  }

  /// Exchanges the lanes of `a` with bit `Stage` and those of `b` without it.
  template <int Stage, int... lane>
  [[gnu::always_inline]] static void exchange(Vector& a, Vector& b,
                                              std::integer_sequence<int, lane...>) {
    constexpr int distance = 1 << Stage;
    constexpr int of_b = static_cast<int>(lanes);
    const Vector without =
        __builtin_shufflevector(a, b, (lane & distance ? of_b + (lane ^ distance) : lane)...);
    b = __builtin_shufflevector(a, b, (lane & distance ? of_b + lane : lane ^ distance)...);
    a = without;
  }

  template <int Stage, int... lane>
  [[gnu::always_inline]] static Vector swap(Vector a, std::integer_sequence<int, lane...>) {
    return __builtin_shufflevector(a, a, (lane ^ (1 << Stage))...);
  }
};

}  // namespace bracket::runtime::kernel_folds
