// SPDX-License-Identifier: MIT

#pragma once

#include <utility>

#include "kernels/simd_vectors.hpp"

// Included by files that are compiled for one instruction set each; see simd_vectors.hpp.

namespace bracket::runtime::kernel_folds {

/// Folds every 2^Level elements of a row of `count` elements, as `Folds::UnitsFold` says.
template <class Number, class Isa, class Operator, class Source, int Level>
struct Units {
  using V = SimdVectors<Number, Isa, Operator>;
  using Vector = typename V::Vector;

  [[gnu::always_inline]] static void fold(Source x, Index count, Number* to) {
    Index i = 0;
    for (; i + most <= count; i += most) fold_most(x + i, to + i / unit);
    if (count - i > unit && count >= most) {
      fold_most(x + (count - most), to + (count - most) / unit);  // some of them once more
      return;
    }
    for (; i < count; i += unit) to[i / unit] = tree<unit>(x + i);
  }

 private:
  static constexpr Index unit = Index{1} << Level;
  static constexpr Index most = V::lanes * unit;  // elements of as many units as a vector has lanes

  [[gnu::always_inline]] static void fold_most(Source x, Number* to) {
    using Types = VectorTypes<Number, Isa>;
    const Vector units = V::template block<Level>(x);
    *reinterpret_cast<typename Types::Anywhere*>(to) =
        in_sequence(units, std::make_integer_sequence<int, static_cast<int>(V::lanes)>{});
  }

  template <Index Count>
  [[gnu::always_inline]] static Number tree(Source x) {
    if constexpr (Count == 1) {
      return x.number();
    } else {
      return Operator()(tree<Count / 2>(x), tree<Count / 2>(x + Count / 2));
    }
  }

  /// The lane in which `V::block<Level>` leaves a unit. Bit b of an element's number in the block
  /// is merged by stage b % stages, or is that bit of the lane. A unit's number begins at bit
  /// `Level`.
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

/// Folds rows. `row(number)` is the source of a row.
template <class Number, class Isa, class Operator, class Row>
[[gnu::always_inline]] inline void fold_rows(Row row, Index rows, Index count, Index unit,
                                             Number* to) {
  using Source = decltype(row(Index{}));
  if (unit == 4) {
    for (Index i = 0; i < rows; ++i, to += count / 4) {
      Units<Number, Isa, Operator, Source, 2>::fold(row(i), count, to);
    }
  } else {
    for (Index i = 0; i < rows; ++i, to += count / 16) {
      Units<Number, Isa, Operator, Source, 4>::fold(row(i), count, to);
    }
  }
}

template <class Number, class Isa, class Operator>
void fold_units(RowsOf<Number> elements, Index rows, Index count, Index unit, Number* to) {
  const auto row = [=](Index i) { return Elements<Number, Isa>{elements.row(i)}; };
  fold_rows<Number, Isa, Operator>(row, rows, count, unit, to);
}

template <class Number, class Isa>
void fold_units_of_products(RowsOf<Number> elements, RowsOf<Number> factors, Index rows,
                            Index count, Index unit, Number* to) {
  const auto row = [=](Index i) { return Products<Number, Isa>{elements.row(i), factors.row(i)}; };
  fold_rows<Number, Isa, Sum>(row, rows, count, unit, to);
}

}  // namespace bracket::runtime::kernel_folds
