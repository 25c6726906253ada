// SPDX-License-Identifier: MIT

#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "bracket/runtime/binned.hpp"
#include "bracket/runtime/double_double.hpp"
#include "bracket/runtime/operators.hpp"
#include "bracket/runtime/results.hpp"
#include "device/leaf.hpp"
#include "kernels/bins.hpp"

/// Operations of the leaf of devices. Each has the values of an operation of the host (see
/// reductions.hpp), in the same bytes:
///
///     Element, Value                    types of an element and of a partial
///     associative                       whether lanes may take the elements in any grouping
///     commutative                       whether `join` is, in all bits but those of a NaN
///     join(left, right)
///     reads_narrow                      whether a source converts float32 that are side by side
///     blocks                            that a multiprocessor holds at least, by their registers
///     few_pieces                        whether the end of a warp's work takes long, so that a
///                                       block should have much
///
/// If it is not associative:
///
///     value(element)
///
/// and otherwise:
///
///     State, Apart                      what a lane accumulates: in registers, and what it rarely
///                                       needs, which may lie in memory
///     State begin()
///     add<Rows, Width>(state, apart, elements, number, stride)
///                                       adds Rows · Width elements; those of row r are numbers
///                                       `number` + r · `stride` to + Width − 1 of this rank's
///     value(state, apart)
namespace bracket::runtime::device {

/// The `Apart` of operations that have all in registers.
struct NothingApart {};

/// A sum or product by the tree.
template <class Number, class By>
struct TreeOperation {
  using Operator = By;
  using Element = Number;
  using Value = Number;
  static constexpr bool associative = false;
  static constexpr bool commutative = true;
  static constexpr int blocks = 1;
  static constexpr bool few_pieces = false;
  static constexpr bool reads_narrow = std::is_same_v<Operator, Sum>;

  BRACKET_EVERYWHERE Value value(Number element) const { return element; }
  BRACKET_EVERYWHERE Value join(Number left, Number right) const { return Operator()(left, right); }
};

/// A sum in double-double arithmetic, by the tree.
struct DoubleDoubleOperation {
  using Element = double;
  using Value = DoubleDouble;
  static constexpr bool associative = false;
  static constexpr bool commutative = false;
  static constexpr int blocks = 3;
  static constexpr bool few_pieces = false;
  static constexpr bool reads_narrow = true;

  BRACKET_EVERYWHERE Value value(double element) const { return {element, 0}; }
  BRACKET_EVERYWHERE Value join(const Value& left, const Value& right) const {
    const auto steps = DoubleDouble::published(left, right);
    return steps.usual ? Value{steps.high, steps.low} : any_sum(left, right);
  }

 private:
  // By value: a reference would keep the operands of every sum in memory.
  static BRACKET_APART Value any_sum(Value left, Value right) { return left + right; }
};

/// A minimum or maximum.
template <class Number, class By>
struct ExtremeOperation {
  using Operator = By;
  using Element = Number;
  using Value = Number;
  using State = Number;
  using Apart = NothingApart;
  static constexpr bool associative = true;
  static constexpr bool commutative = true;
  static constexpr int blocks = 1;
  static constexpr bool few_pieces = false;
  static constexpr bool reads_narrow = false;

  BRACKET_EVERYWHERE State begin() const { return Operator::template of_nothing<Number>; }
  template <int Rows, int Width>
  BRACKET_EVERYWHERE void add(State& state, Apart& /*apart*/,
                              const Number (&elements)[Rows * Width], Index /*number*/,
                              Index /*stride*/) const {
    BRACKET_UNROLL
    for (int i = 0; i < Rows * Width; ++i) state = Operator()(state, elements[i]);
  }
  BRACKET_EVERYWHERE Value value(State state, Apart /*apart*/) const { return state; }
  BRACKET_EVERYWHERE Value join(Number left, Number right) const { return Operator()(left, right); }
};

/// The extreme element by `Operator`, and the lowest global index at which it lies. Elements are
/// compared by *ranks*: integers that order them as the operator does, with every NaN before all
/// numbers and −0 below +0. A lower rank is more extreme.
template <class Number, class Operator>
struct LocationOperation {
  using Element = Number;
  using Value = Located<double>;
  static constexpr bool associative = true;
  static constexpr bool commutative = true;
  static constexpr int blocks = 1;
  static constexpr bool few_pieces = false;
  static constexpr bool reads_narrow = false;
  static constexpr bool least = std::is_same_v<Operator, Minimum>;

  using Apart = NothingApart;
  using Bits = std::conditional_t<sizeof(Number) == 8, std::uint64_t, std::uint32_t>;
  using Order = std::make_signed_t<Bits>;

  struct State {
    Number element;
    Order rank;
    Index index;
  };

  Index first = 0;  ///< global index of the rank's first element

  template <class Float>
  static BRACKET_EVERYWHERE auto rank_of(Float element) {
    using Word = std::conditional_t<sizeof(Float) == 8, std::uint64_t, std::uint32_t>;
    using Signed = std::make_signed_t<Word>;
    constexpr Word sign = Word{1} << (8 * sizeof(Float) - 1);
    constexpr Word infinity = __builtin_bit_cast(Word, std::numeric_limits<Float>::infinity());
    const Word bits = bytes_as<Word>(element);
    const Word magnitude = bits & ~sign;
    if (magnitude > infinity) return std::numeric_limits<Signed>::min();
    // Ascending with the number: −0 is −1, and +0 is 0.
    const auto ascending = static_cast<Signed>((bits & sign) != 0 ? ~magnitude : magnitude);
    return least ? ascending : static_cast<Signed>(~ascending);
  }

  BRACKET_EVERYWHERE State begin() const {
    return {Operator::template of_nothing<Number>, std::numeric_limits<Order>::max(),
            std::numeric_limits<Index>::max()};
  }
  template <int Rows, int Width>
  BRACKET_EVERYWHERE void add(State& state, Apart& /*apart*/,
                              const Number (&elements)[Rows * Width], Index number,
                              Index stride) const {
    BRACKET_UNROLL
    for (int row = 0; row < Rows; ++row) {
      BRACKET_UNROLL
      for (int i = 0; i < Width; ++i) {
        // A lane takes its elements with rising indices, so that the first of equals stays. The
        // state of no elements has the largest rank, which no number has. So the first element
        // always replaces it.
        const Order rank = rank_of(elements[row * Width + i]);
        if (rank < state.rank) {
          state = {elements[row * Width + i], rank, first + number + row * stride + i};
        }
      }
    }
  }
  BRACKET_EVERYWHERE Value value(const State& state, Apart /*apart*/) const {
    return {canonical_of(static_cast<double>(state.element)), state.index};
  }
  BRACKET_EVERYWHERE Value join(const Value& left, const Value& right) const {
    const auto of_left = rank_of(left.value);
    const auto of_right = rank_of(right.value);
    return choose(of_left < of_right || (of_left == of_right && left.index < right.index), left,
                  right);
  }

 private:
  static BRACKET_EVERYWHERE double canonical_of(double value) {
    return value != value ? bytes_as<double>(std::uint64_t{0x7FF8} << 48) : value;
  }
};

/// A binned sum. Lanes add elements as `BinnedFold` does (kernels/binned_folds.hpp): by a constant
/// for each bin, in the last places of which elements become whole units.
template <int K>
struct BinnedOperation {
  using Element = double;
  using Value = Binned<K>;
  static constexpr bool associative = true;
  static constexpr bool commutative = true;
  static constexpr int blocks = K <= 2 ? 3 : 2;
  static constexpr bool few_pieces = true;
  static constexpr bool reads_narrow = true;

  using Apart = Binned<K>;  // the sum, whose digits are indexed by loops

  struct State {
    double constants[K];    ///< of each bin in the window
    std::uint64_t bits[K];  ///< sum of the bits of constant + element, modulo 2^64
    std::uint32_t limit;    ///< upper halves of magnitudes from this on do not fit the window
    std::int32_t elements;  ///< summed in `bits`
  };

  int width = Bins::width;  ///< of a bin

  BRACKET_EVERYWHERE State begin() const {
    State state{};
    BRACKET_UNROLL
    for (int k = 0; k < K; ++k) state.constants[k] = 0;
    return state;
  }

  template <int Rows, int Width>
  BRACKET_EVERYWHERE void add(State& state, Apart& sum, const double (&elements)[Rows * Width],
                              Index /*number*/, Index /*stride*/) const {
    constexpr int count = Rows * Width;
    std::uint32_t largest = 0;
    BRACKET_UNROLL
    for (int i = 0; i < count; ++i) {
      const auto upper =
          static_cast<std::uint32_t>(bytes_as<std::uint64_t>(elements[i]) >> 32) & 0x7FFFFFFFu;
      largest = upper > largest ? upper : largest;
    }
    if (largest >= state.limit) {
      double copy[count];  // so that the elements themselves stay in registers
      BRACKET_UNROLL
      for (int i = 0; i < count; ++i) copy[i] = elements[i];
      if (!move_window(state, sum, copy, count, static_cast<int>(largest >> 20))) return;
    }
    BRACKET_UNROLL
    for (int i = 0; i < count; ++i) {
      double rest = elements[i];
      BRACKET_UNROLL
      for (int k = 0; k < K; ++k) {
        const double rounded = rest + state.constants[k];
        state.bits[k] += bytes_as<std::uint64_t>(rounded);
        if (k + 1 < K) rest = rest - (rounded - state.constants[k]);
      }
    }
    state.elements += count;
    // So that 64 bits cannot overflow: an element has at most 2^(width - 1) units.
    const int limit = 62 - width;
    if (state.elements > std::int32_t{1} << (limit < 22 ? limit : 22)) flush(state, sum);
  }

  BRACKET_EVERYWHERE Value value(State state, Apart sum) const {
    flush(state, sum);
    return sum;
  }
  BRACKET_APART Value join(const Value& left, const Value& right) const {
    Value sum = left;
    bins::add(sum, right);
    return sum;
  }

 private:
  /// Moves the window to elements whose largest exponent field is `field`. Returns whether they are
  /// still to be added: elements that no window can hold are added one by one.
  BRACKET_EVERYWHERE bool move_window(State& state, Apart& sum, const double* elements, int count,
                                      int field) const {
    constexpr int infinity_field = 0x7FF;
    flush(state, sum);
    int top = field > 0 ? bins::bin_of(field - 1023, width) : static_cast<int>(Bins::lowest);
    if (top < sum.top) top = sum.top;
    const bool fits = field != infinity_field && bins::in_reach<K>(top, width);
    if (fits) {
      bins::raise(sum, top);
    } else {
      BRACKET_NO_UNROLL
      for (int i = 0; i < count; ++i) bins::add(sum, elements[i], width);
    }
    state.limit = 0;
    if (bins::in_reach<K>(sum.top, width)) {
      state.limit = static_cast<std::uint32_t>(width * (sum.top + 1) + 1023) << 20;
      BRACKET_UNROLL
      for (int k = 0; k < K; ++k) {
        state.constants[k] = bytes_as<double>(bins::constant_bits(sum.top - k, width));
      }
    }
    // A window in reach belongs to an element other than zero.
    if (fits) sum.seen |= Value::anything | Value::other_than_negative_zero;
    return fits;
  }

  /// Moves the units to the digits.
  BRACKET_EVERYWHERE void flush(State& state, Apart& sum) const {
    if (state.elements == 0) return;
    BRACKET_UNROLL
    for (int k = 0; k < K; ++k) {
      const std::uint64_t units = state.bits[k] - static_cast<std::uint64_t>(state.elements) *
                                                      bins::constant_bits(sum.top - k, width);
      bins::add(sum.digits[k], static_cast<std::int64_t>(units));
      state.bits[k] = 0;
    }
    state.elements = 0;
  }
};

}  // namespace bracket::runtime::device
