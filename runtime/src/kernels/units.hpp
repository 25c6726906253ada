// SPDX-License-Identifier: MIT

#pragma once

#include <utility>

#include "kernels/simd_vectors.hpp"

// Included by files that are compiled for one instruction set each; see simd_vectors.hpp.

namespace bracket::runtime::kernel_folds {

/// Folds every 2^Level elements of rows, as `Folds::UnitsFold` says.
template <class Number, class Isa, class Operator, int Level>
struct Units {
  using V = SimdVectors<Number, Isa, Operator>;
  using Vector = typename V::Vector;

  static void fold(const Number* from, Index distance, Index rows, Index count, Number* to) {
    for (Index row = 0; row < rows; ++row, to += count / unit) {
      fold_row(from, count, to);
      from = reinterpret_cast<const Number*>(reinterpret_cast<const char*>(from) + distance);
    }
  }

 private:
  static constexpr Index unit = Index{1} << Level;
  static constexpr Index most = V::lanes * unit;  // elements of as many units as a vector has lanes

  [[gnu::always_inline]] static void fold_row(const Number* x, Index count, Number* to) {
    Index i = 0;
    for (; i + most <= count; i += most) fold_most(x + i, to + i / unit);
    if (count - i > unit && count >= most) {
      fold_most(x + count - most, to + (count - most) / unit);  // some of them once more
      return;
    }
    for (; i < count; i += unit) to[i / unit] = tree<unit>(x + i);
  }

  [[gnu::always_inline]] static void fold_most(const Number* x, Number* to) {
    using Types = VectorTypes<Number, Isa>;
    const Vector units = V::template block<Level>(Elements<Number, Isa>{x});
    *reinterpret_cast<typename Types::Anywhere*>(to) =
        in_sequence(units, std::make_integer_sequence<int, static_cast<int>(V::lanes)>{});
  }

  template <Index Count>
  [[gnu::always_inline]] static Number tree(const Number* x) {
    if constexpr (Count == 1) {
      return *x;
    } else {
      return Operator()(tree<Count / 2>(x), tree<Count / 2>(x + Count / 2));
    }
  }

  /// The lane in which `V::block<Level>` leaves a unit. The merge of the last level chooses the
  /// half of the vectors by its stage, the one before the quarter, and so on.
  static constexpr int lane_of(int number) {
    int lane = 0;
    for (int bit = 0; bit < V::stages; ++bit) {
      lane |= (number >> bit & 1) << (Level + bit) % V::stages;
    }
    return lane;
  }

  template <int... number>
  [[gnu::always_inline]] static Vector in_sequence(Vector units,
                                                   std::integer_sequence<int, number...>) {
    return __builtin_shufflevector(units, units, lane_of(number)...);
  }
};

/// Dispatches to the units that `Folds::UnitsFold` has.
template <class Number, class Isa, class Operator>
void fold_units(const Number* from, Index distance, Index rows, Index count, Index unit,
                Number* to) {
  if (unit == 4) return Units<Number, Isa, Operator, 2>::fold(from, distance, rows, count, to);
  Units<Number, Isa, Operator, 4>::fold(from, distance, rows, count, to);
}

}  // namespace bracket::runtime::kernel_folds
