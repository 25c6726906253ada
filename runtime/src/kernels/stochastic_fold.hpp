// SPDX-License-Identifier: MIT

#pragma once

#include <bit>
#include <cstdint>

#include "bracket/runtime/fold.hpp"
#include "bracket/runtime/stochastic.hpp"
#include "kernels/sources.hpp"

// Included by files that are compiled for one instruction set each; see simd_vectors.hpp.

namespace bracket::runtime::kernel_folds {

/// Folds doubles by the tree order in stochastic arithmetic, with the bits of `StochasticValue`.
///
/// Each lane of a vector has a complete bracket of its own: of 2^L elements, next to that of the
/// lane before. So all lanes take the same steps, and the directions of an addition lie at the same
/// place in the random word of each lane.
template <class Isa>
struct StochasticFold {
  using Value = StochasticValue<double>;

  static Value fold(const double* x, Index count, Index index) {
    if (count == 0) return Value{};
    return index % word_elements == 0 ? any(x, count, index) : one_by_one(x, count, index);
  }

 private:
  using Vector = typename VectorTypes<double, Isa>::Vector;
  using Integers = typename VectorTypes<std::int64_t, Isa>::Vector;
  using Words = typename VectorTypes<std::uint64_t, Isa>::Vector;

  static constexpr Index lanes = Isa::bytes / sizeof(double);
  static constexpr int digits = FloatBits<double>::digits;
  static constexpr std::uint64_t without_sign = FloatBits<double>::without_sign;

  /// Levels of the brackets in a lane: the elements of one random word, and the most of them.
  static constexpr int word_level = std::countr_zero(static_cast<unsigned>(word_elements));
  static constexpr int most_level = word_level + 3;
  /// Fewer elements than this are folded one by one.
  static constexpr Index few = lanes << word_level;

  /// Sums of a bracket in each lane.
  struct Sums {
    Vector first, second, third;
    Integers common;  ///< see `common_bits`
    Integers cancellations;
  };
  /// The directions of the first and of the second sample: all bits are set for up.
  struct Directions {
    Integers first, second;
  };

  /// The tree over few elements.
  [[gnu::noinline]] static Value one_by_one(const double* x, Index count, Index index) {
    return fold_elements<Value>(
        count, 1, [=](Index i) { return Value::of(x[i], index + i); },
        [](const Value& left, const Value& right) { return left + right; });
  }

  /// The tree over any elements, the first with an index that is a multiple of `word_elements`.
  [[gnu::noinline]] static Value any(const double* x, Index count, Index index) {
    if (count < few) return one_by_one(x, count, index);
    if (count == lanes << word_level) return bracket<word_level>(x, index);
    if (count == lanes << (word_level + 1)) return bracket<word_level + 1>(x, index);
    if (count == lanes << (word_level + 2)) return bracket<word_level + 2>(x, index);
    if (count == lanes << most_level) return bracket<most_level>(x, index);
    const Index left = Index{1} << (63 - __builtin_clzll(static_cast<std::uint64_t>(count - 1)));
    return any(x, left, index) + any(x + left, count - left, index + left);
  }

  /// A complete tree over lanes · 2^Level elements.
  template <int Level>
  [[gnu::noinline]] static Value bracket(const double* x, Index index) {
    constexpr Index each = Index{1} << Level;
    const Sums sums = block<Level>(x, each, index);
    return joined<lanes>(sums, index, 0, each);
  }

  /// The tree over the sums of Count lanes from `lane` on.
  template <Index Count>
  [[gnu::always_inline]] static Value joined(const Sums& sums, Index index, Index lane,
                                             Index each) {
    if constexpr (Count == 1) {
      return {{sums.first[lane], sums.second[lane], sums.third[lane]},
              sums.cancellations[lane],
              index + lane * each,
              index + (lane + 1) * each};
    } else {
      return joined<Count / 2>(sums, index, lane, each) +
             joined<Count / 2>(sums, index, lane + Count / 2, each);
    }
  }

  /// A complete tree over 2^Level elements in each lane, `each` elements apart. Vectors are not
  /// arguments of functions that are not inlined: GCC 12 would leave registers in use behind them.
  template <int Level>
  [[gnu::always_inline]] static Sums block(const double* x, Index each, Index index) {
    if constexpr (Level == word_level) {
      return word_block(x, each, index);
    } else {
      constexpr Index half = Index{1} << (Level - 1);
      const Sums left = block<Level - 1>(x, each, index);
      const Sums right = block<Level - 1>(x + half, each, index + half);
      return add(left, right, directions(random_words(index, each, 2 * half), 0));
    }
  }

  /// The tree over the elements of one random word.
  [[gnu::noinline]] static Sums word_block(const double* x, Index each, Index index) {
    const Words word = random_words(index, each, word_elements);
    return tree<word_level>(x, each, word, 0);
  }

  /// One of its brackets of 2^Level elements. `node` numbers them from the root, level by level.
  template <int Level>
  [[gnu::always_inline]] static Sums tree(const double* x, Index each, const Words& word,
                                          int node) {
    if constexpr (Level == 1) {
      return add(elements(x, each), elements(x + 1, each), directions(word, node));
    } else {
      constexpr Index half = Index{1} << (Level - 1);
      const Sums left = half_tree<Level - 1>(x, each, word, 2 * node + 1);
      const Sums right = half_tree<Level - 1>(x + half, each, word, 2 * node + 2);
      return add(left, right, directions(word, node));
    }
  }

  /// The brackets of eight elements share their code.
  template <int Level>
  [[gnu::always_inline]] static Sums half_tree(const double* x, Index each, const Words& word,
                                               int node) {
    if constexpr (Level == 3) return tree_apart<Level>(x, each, word, node);
    return tree<Level>(x, each, word, node);
  }
  template <int Level>
  [[gnu::noinline]] static Sums tree_apart(const double* x, Index each, const Words& word,
                                           int node) {
    return tree<Level>(x, each, word, node);
  }

  /// An element of each lane.
  [[gnu::always_inline]] static Vector elements(const double* x, Index each) {
    Vector loaded = {};
    for (Index lane = 0; lane < lanes; ++lane) loaded[lane] = x[lane * each];
    return loaded;
  }

  /// `support::split_mix` in each lane.
  [[gnu::always_inline]] static Words split_mix(Words word) {
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
    word = (word ^ (word >> 27)) * 0x94D049BB133111EBu;
    return word ^ (word >> 31);
  }

  /// `random_word` in each lane, of brackets of `size` elements that begin `each` elements apart.
  [[gnu::always_inline]] static Words random_words(Index index, Index each, Index size) {
    constexpr std::uint64_t increment = 0x9E3779B97F4A7C15u;
    Words begin = {};
    for (Index lane = 0; lane < lanes; ++lane) {
      begin[lane] = static_cast<std::uint64_t>(index + lane * each);
    }
    const Words end = begin + static_cast<std::uint64_t>(size);
    return split_mix(split_mix(begin + increment) + end * increment);
  }

  /// The directions of a node, whose bits are at 2 `node` in the word.
  [[gnu::always_inline]] static Directions directions(Words word, int node) {
    const auto shifted = reinterpret_cast<Integers>(word << (62 - 2 * node));
    return {(shifted << 1) < 0, shifted < 0};
  }

  /// A sum to nearest, and what it loses.
  struct Added {
    Vector sum, lost;
  };
  [[gnu::always_inline]] static Added add(Vector left, Vector right) {
    const Vector sum = left + right;
    const Vector of_right = sum - left;
    return {sum, (right - of_right) + (left - (sum - of_right))};
  }

  /// `directed_sum` in each lane: the sum to nearest, moved by a place if it is on the other side.
  [[gnu::always_inline]] static Vector directed(Added added, Integers up) {
    const Integers above = added.lost > 0;
    const Integers moves = (above & up) | ((added.lost < 0) & ~up);
    const Integers step = (above ^ (added.sum > 0)) | 1;
    return reinterpret_cast<Vector>(reinterpret_cast<Integers>(added.sum) + (moves & step));
  }

  [[gnu::always_inline]] static Integers magnitude(Vector number) {
    return reinterpret_cast<Integers>(reinterpret_cast<Words>(number) & without_sign);
  }

  [[gnu::always_inline]] static Integers exponent(Integers size) {
    return reinterpret_cast<Integers>(reinterpret_cast<Words>(size) >> (digits - 1));
  }

  /// `common_bits` in each lane.
  [[gnu::always_inline]] static Integers common_bits(Vector first, Vector second, Vector third) {
    const Integers of_second = magnitude(second - first);
    const Integers of_third = magnitude(third - first);
    const Integers spread = of_second > of_third ? of_second : of_third;
    const Integers bits = exponent(magnitude(first)) - exponent(spread);
    const Integers all = Integers{} + digits;
    const Integers at_least_none = bits & (bits > 0);
    const Integers limits = (reinterpret_cast<Vector>(spread) > 0) & (bits <= digits);
    return limits ? at_least_none : all;
  }

  /// Adds elements, whose samples are equal.
  [[gnu::always_inline]] static Sums add(Vector left, Vector right, Directions up) {
    const Added added = add(left, right);
    return counted(directed(added, up.first), directed(added, up.second),
                   directed(added, ~up.second), Integers{} + digits, Integers{});
  }

  [[gnu::always_inline]] static Sums add(const Sums& left, const Sums& right, Directions up) {
    return counted(directed(add(left.first, right.first), up.first),
                   directed(add(left.second, right.second), up.second),
                   directed(add(left.third, right.third), ~up.second),
                   left.common < right.common ? left.common : right.common,
                   left.cancellations + right.cancellations);
  }

  /// Sums, with a cancellation more in the lanes where they share fewer bits than `before`.
  [[gnu::always_inline]] static Sums counted(Vector first, Vector second, Vector third,
                                             Integers before, Integers cancellations) {
    const Integers common = common_bits(first, second, third);
    return {first, second, third, common, cancellations - (before - common >= cancelled_bits)};
  }
};

}  // namespace bracket::runtime::kernel_folds
