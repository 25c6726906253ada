// SPDX-License-Identifier: MIT

#pragma once

#include <utility>

#include "kernels/kernels.hpp"
#include "kernels/simd_vectors.hpp"

// Included by files that are compiled for one instruction set each; see simd_vectors.hpp.

namespace bracket::runtime::kernel_folds {

/// Folds every 2^Level elements of a sequence that lies in rows, as `Folds::UnitsFold` says.
template <class Number, class Isa, class Operator, class Source, int Level>
struct Units {
  using V = SimdVectors<Number, Isa, Operator>;
  using Vector = typename V::Vector;

  /// Continues with a row of `count` elements. Prefetches what is `ahead` bytes behind the element
  /// that it reads, and nothing if `ahead` is 0.
  [[gnu::always_inline]] static Number* fold(Source x, Index count, Index ahead,
                                             Waiting<Number>& waiting, Number* to) {
    Index done = 0;
    if (waiting.count > 0) {
      Number* const begin = waiting.room + waiting.first;
      done = unit - waiting.count;
      if (count < done) {
        copy(x, count, begin + waiting.count);
        waiting.count += count;
        return to;
      }
      copy_first(x, done, count, begin + waiting.count);
      *to++ = tree<unit>(Elements<Number, Isa>{begin});
      waiting.count = 0;
    }
    const Index whole = (count - done) & -unit;
    fold_whole(x + done, whole, ahead, to);
    done += whole;
    if (done < count) {
      waiting.count = count - done;
      if (count >= unit) {
        waiting.first = unit - waiting.count;
        copy_unit(x + (count - unit), waiting.room);
      } else {
        waiting.first = 0;
        copy(x + done, waiting.count, waiting.room);
      }
    }
    return to + whole / unit;
  }

 private:
  using Types = VectorTypes<Number, Isa>;
  static constexpr Index unit = Index{1} << Level;
  static_assert(unit <= Waiting<Number>::largest_unit);
  static constexpr Index most = V::lanes * unit;  // elements of as many units as a vector has lanes

  /// Copies the first `some` elements of a row, at most a unit. As many as are in a unit are copied
  /// faster, if the row has them.
  [[gnu::always_inline]] static void copy_first(Source x, Index some, Index count, Number* to) {
    if (count >= unit) {
      copy_unit(x, to);
    } else {
      copy(x, some, to);
    }
  }

  [[gnu::always_inline]] static void copy(Source x, Index count, Number* to) {
    for (Index i = 0; i < count; ++i) to[i] = (x + i).number();
  }

  [[gnu::always_inline]] static void copy_unit(Source x, Number* to) {
    if constexpr (unit < V::lanes) {
      copy(x, unit, to);
    } else {
      for (Index i = 0; i < unit; i += V::lanes) {
        *reinterpret_cast<typename Types::Anywhere*>(to + i) = (x + i).vector();
      }
    }
  }

  /// The units of `count` elements, a multiple of a unit.
  [[gnu::always_inline]] static void fold_whole(Source x, Index count, Index ahead, Number* to) {
    Index i = 0;
    for (; i + most <= count; i += most) fold_most(x + i, ahead, to + i / unit);
    if (count - i > unit && count >= most) {
      fold_most(x + (count - most), ahead, to + (count - most) / unit);  // some of them once more
      return;
    }
    for (; i < count; i += unit) to[i / unit] = tree<unit>(x + i);
  }

  [[gnu::always_inline]] static void fold_most(Source x, Index ahead, Number* to) {
    if (ahead > 0) {
      constexpr Index line = 64;
      for (Index i = 0; i < most * static_cast<Index>(sizeof(Number)); i += line) {
        x.prefetch(ahead + i);
      }
    }
    *reinterpret_cast<typename Types::Anywhere*>(to) = units(x);
  }

  /// A unit in each lane.
  [[gnu::always_inline]] static Vector units(Source x) {
    if constexpr (Level >= V::stages) {
      return V::template places<Level - V::stages>(x, [](int stage) { return unit << stage; });
    } else {
      return in_sequence(V::template block<Level>(x),
                         std::make_integer_sequence<int, static_cast<int>(V::lanes)>{});
    }
  }

  /// Units that are shorter than a vector, in their sequence.
  template <int... number>
  [[gnu::always_inline]] static Vector in_sequence(Vector units,
                                                   std::integer_sequence<int, number...>) {
    return __builtin_shufflevector(units, units, lane_of(number)...);
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

  template <Index Count, class Any>
  [[gnu::always_inline]] static Number tree(Any x) {
    if constexpr (Count == 1) {
      return x.number();
    } else {
      return Operator()(tree<Count / 2>(x), tree<Count / 2>(x + Count / 2));
    }
  }
};

/// Folds rows. `row(number)` is the source of a row. See `Units::fold` for `ahead`.
template <class Number, class Isa, class Operator, class Row>
[[gnu::always_inline]] inline Number* fold_rows(Row row, Index rows, Index count, Index unit,
                                                Index ahead, Waiting<Number>& waiting, Number* to) {
  using Source = decltype(row(Index{}));
  if (unit == 4) {
    for (Index i = 0; i < rows; ++i) {
      to = Units<Number, Isa, Operator, Source, 2>::fold(row(i), count, ahead, waiting, to);
    }
  } else {
    for (Index i = 0; i < rows; ++i) {
      to = Units<Number, Isa, Operator, Source, 4>::fold(row(i), count, ahead, waiting, to);
    }
  }
  return to;
}

template <class Number, class Isa, class Operator>
Number* fold_units(RowsOf<Number> elements, Index rows, Index count, Index unit,
                   Waiting<Number>& waiting, Number* to) {
  const auto row = [=](Index i) { return Elements<Number, Isa>{elements.row(i)}; };
  // To prefetch rows with wide gaps takes longer than it saves. So it does for two arrays.
  const Index bytes = count * static_cast<Index>(sizeof(Number));
  const Index gap = elements.distance - bytes;
  const bool close = gap >= 0 && gap <= bytes / 8;
  const Index ahead = close && Isa::bytes < 64 && prefetches_rows() ? 2048 : 0;
  return fold_rows<Number, Isa, Operator>(row, rows, count, unit, ahead, waiting, to);
}

template <class Number, class Isa>
Number* fold_units_of_products(RowsOf<Number> elements, RowsOf<Number> factors, Index rows,
                               Index count, Index unit, Waiting<Number>& waiting, Number* to) {
  const auto row = [=](Index i) { return Products<Number, Isa>{elements.row(i), factors.row(i)}; };
  return fold_rows<Number, Isa, Sum>(row, rows, count, unit, 0, waiting, to);
}

}  // namespace bracket::runtime::kernel_folds
