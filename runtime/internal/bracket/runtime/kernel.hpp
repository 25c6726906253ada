// SPDX-License-Identifier: MIT

#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "bracket/model/range.hpp"
#include "bracket/runtime/binned.hpp"
#include "bracket/runtime/operators.hpp"

namespace bracket::runtime {

struct DoubleDouble;
template <class Number>
struct StochasticValue;
struct PreRounding;

/// Rows of numbers, which begin `distance` bytes apart.
template <class Number>
struct RowsOf {
  const Number* first;
  Index distance;

  /// Always inline, because kernels of different instruction sets call it.
  [[nodiscard, gnu::always_inline]] const Number* row(Index number) const {
    return reinterpret_cast<const Number*>(reinterpret_cast<const std::byte*>(first) +
                                           number * distance);
  }
};

/// Elements, or products, at the end of a row that wait for those of the next row.
template <class Number>
struct Waiting {
  static constexpr Index largest_unit = 16;

  Index first = 0;                ///< place in `room`, less than a unit
  Index count = 0;                ///< less than a unit
  Number room[3 * largest_unit];  ///< a unit may be copied behind the elements that wait
};

/// Functions that fold `count` ≥ 0 elements in tree order, one for each operator. Any bracket of a
/// longer tree has the shape of such a tree. Without elements they return the operator's
/// `of_nothing`.
template <class Number>
struct Folds {
  using Fold = Number (*)(const Number* elements, Index count);

  Fold sum;
  Fold product;
  Fold minimum;
  Fold maximum;

  /// The sum of products of elements and factors, each rounded once.
  Number (*sum_of_products)(const Number* elements, const Number* factors, Index count);

  /// Folds a bracket of `count` ≥ 1 elements that begins a chunk, in chunks of `chunk` elements
  /// (see fold.hpp).
  using ChunkFold = Number (*)(const Number* elements, Index count, Index chunk);
  ChunkFold sum_in_chunks;
  ChunkFold product_in_chunks;
  Number (*sum_of_products_in_chunks)(const Number* elements, const Number* factors, Index count,
                                      Index chunk);

  /// Folds every `unit` elements, 4 or 16, of `rows` ≥ 0 rows of `count` ≥ 0 elements. A unit may
  /// begin in one row and end in a later one. The first begins with the elements that wait. At the
  /// end, the elements after the last unit wait. Writes the results side by side, and returns the
  /// place after them.
  using UnitsFold = Number* (*)(RowsOf<Number> elements, Index rows, Index count, Index unit,
                                Waiting<Number>& waiting, Number* to);
  UnitsFold sums_of_units;
  UnitsFold products_of_units;

  /// The same for sums of products of elements and factors, each rounded once.
  Number* (*sums_of_units_of_products)(RowsOf<Number> elements, RowsOf<Number> factors, Index rows,
                                       Index count, Index unit, Waiting<Number>& waiting,
                                       Number* to);

  template <class Operator>
  static constexpr bool known =
      std::is_same_v<Operator, Sum> || std::is_same_v<Operator, Product> ||
      std::is_same_v<Operator, Minimum> || std::is_same_v<Operator, Maximum>;

  /// The fold by `Operator`.
  template <class Operator>
  [[nodiscard]] Fold of() const {
    if constexpr (std::is_same_v<Operator, Sum>) return sum;
    if constexpr (std::is_same_v<Operator, Product>) return product;
    if constexpr (std::is_same_v<Operator, Minimum>) return minimum;
    if constexpr (std::is_same_v<Operator, Maximum>) return maximum;
    static_assert(known<Operator>, "the kernels know Sum, Product, Minimum and Maximum");
  }

  /// The fold in chunks by `Operator`, Sum or Product.
  template <class Operator>
  [[nodiscard]] ChunkFold in_chunks_of() const {
    static_assert(!Operator::associative, "an associative operator needs no chunks");
    return std::is_same_v<Operator, Sum> ? sum_in_chunks : product_in_chunks;
  }

  /// The fold of units by `Operator`, Sum or Product.
  template <class Operator>
  [[nodiscard]] UnitsFold of_units() const {
    static_assert(!Operator::associative, "an associative operator needs no order");
    return std::is_same_v<Operator, Sum> ? sums_of_units : products_of_units;
  }
};

/// Functions that fold `count` ≥ 0 float32 elements in tree order as if they were converted to
/// float64 first.
struct WidenedFolds {
  using Fold = double (*)(const float* elements, Index count);

  Fold sum;
  Fold product;

  /// The sum of products of elements and factors, which are exact.
  double (*sum_of_products)(const float* elements, const float* factors, Index count);

  /// The fold by `Operator`, Sum or Product.
  template <class Operator>
  [[nodiscard]] Fold of() const {
    static_assert(!Operator::associative, "an associative operator needs no order");
    return std::is_same_v<Operator, Sum> ? sum : product;
  }
};

/// Functions that add `count` ≥ 0 elements in bins of `width` bits, or products of elements and
/// factors: one for each number of bins.
struct BinnedFolds {
  template <int K>
  using Fold = Binned<K> (*)(const double* elements, Index count, int width);
  template <int K>
  using ProductFold = Binned<K> (*)(const double* elements, const double* factors, Index count,
                                    int width);

  std::tuple<Fold<1>, Fold<2>, Fold<3>, Fold<4>, Fold<5>, Fold<6>, Fold<7>, Fold<8>> folds;
  using ProductFolds = std::tuple<ProductFold<1>, ProductFold<2>, ProductFold<3>, ProductFold<4>,
                                  ProductFold<5>, ProductFold<6>, ProductFold<7>, ProductFold<8>>;
  ProductFolds product_folds;        ///< each product is rounded once
  ProductFolds exact_product_folds;  ///< products are not rounded; see `bins::add_product`

  /// The folds with K bins.
  template <int K>
  [[nodiscard]] Fold<K> of() const {
    return std::get<Fold<K>>(folds);
  }
  template <int K>
  [[nodiscard]] ProductFold<K> of_products() const {
    return std::get<ProductFold<K>>(product_folds);
  }
  template <int K>
  [[nodiscard]] ProductFold<K> of_exact_products() const {
    return std::get<ProductFold<K>>(exact_product_folds);
  }
};

/// Copies `rows` ≥ 0 rows of `bytes` ≥ 0 bytes, which begin `distance` bytes apart, to a place
/// where they lie side by side. Reads the bytes in the sequence of their addresses, and no others.
using CopyRows = void (*)(const std::byte* from, Index distance, Index rows, Index bytes,
                          std::byte* to);

/// Functions that fold elements, in tree order or in bins, and that copy them, with one instruction
/// set. Every kernel gives the bits of `scalar` (except NaN payloads), reads its input in place at
/// any alignment, and writes only its result and what waits for the next call.
struct Kernel {
  std::string_view name;     ///< "scalar", "portable", "avx2", "avx512"
  std::string_view summary;  ///< one line
  bool (*supported)();       ///< whether this processor can run it
  Folds<double> float64;
  Folds<float> float32;
  WidenedFolds widened;
  /// Sum of `count` ≥ 0 elements by the tree order in double-double arithmetic.
  DoubleDouble (*double_double)(const double* elements, Index count);
  /// Sum of `count` ≥ 0 elements by the tree order in stochastic arithmetic. `index` is the global
  /// index of the first.
  StochasticValue<double> (*stochastic)(const double* elements, Index count, Index index);
  BinnedFolds binned;
  /// Sums of the levels of `count` ≥ 0 elements, which are numbers with such a rounding.
  void (*pre_rounded)(const double* elements, Index count, const PreRounding& rounding,
                      double* sums);
  CopyRows copy_rows;

  template <class Number>
  [[nodiscard]] const Folds<Number>& folds() const {
    if constexpr (std::is_same_v<Number, double>) return float64;
    if constexpr (std::is_same_v<Number, float>) return float32;
    static_assert(std::is_same_v<Number, double> || std::is_same_v<Number, float>,
                  "the kernels know double and float");
  }
};

/// The kernels built into this program, fastest last.
std::span<const Kernel> kernels();

/// The kernel called `name`. For an empty name, the kernel that the environment variable
/// BRACKET_KERNEL names, or without one the fastest that this processor supports. Throws `Error`
/// for a kernel that is unknown or that this processor does not support.
const Kernel& select_kernel(std::string_view name = {});

/// Throws `Error` unless additions round to nearest and subnormals are neither flushed nor taken
/// for zero: in another mode the bits would differ.
void check_floating_point();

/// `value`, or one fixed quiet NaN for every NaN: a NaN's payload and sign depend on the operands'
/// order in the instruction, which no standard fixes.
template <std::floating_point Number>
Number canonical(Number value) {
  // Works on the bits, because the compiler may be told to assume that there are no NaNs.
  using Bits = std::conditional_t<sizeof(Number) == 8, std::uint64_t, std::uint32_t>;
  constexpr Bits without_sign = std::numeric_limits<Bits>::max() >> 1;
  constexpr Bits infinity = std::bit_cast<Bits>(std::numeric_limits<Number>::infinity());
  constexpr Bits quiet_nan = infinity | (infinity >> 1);
  // Without a comparison, which the oldest vector instructions lack for 64 bits: the difference is
  // negative for a NaN.
  const Bits bits = std::bit_cast<Bits>(value);
  const Bits nan = (infinity - (bits & without_sign)) >> (8 * sizeof(Number) - 1);
  const Bits mask = Bits{0} - nan;
  return std::bit_cast<Number>((bits & ~mask) | (quiet_nan & mask));
}

}  // namespace bracket::runtime
