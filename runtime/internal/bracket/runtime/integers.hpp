// SPDX-License-Identifier: MIT

#pragma once

#include <cstdint>
#include <type_traits>

#include "bracket/model/range.hpp"
#include "bracket/runtime/operators.hpp"

/// Reductions of integers. The library has instances for `std::int32_t`, `std::int64_t`,
/// `std::uint32_t` and `std::uint64_t`. All are associative: the result depends on the elements
/// alone.
namespace bracket::runtime {

/// Sum or product modulo 2^32 or 2^64, in two's complement, or the minimum or maximum. `Operator`
/// is `Sum`, `Product`, `Minimum` or `Maximum`.
template <class Integer, class Operator>
struct WrappingReduction {
  using Element = Integer;
  using Value = Integer;
  using Result = Integer;
  static constexpr bool associative = true;

  void prepare() {}
  [[nodiscard]] Integer value(const Integer& element, Index /*index*/) const { return element; }
  [[nodiscard]] Integer fold(const Integer* elements, Index count, Index chunk, Index index) const;
  [[nodiscard]] Integer join(const Integer& left, const Integer& right) const;
  [[nodiscard]] Integer finish(const Integer& value) const { return value; }
};

template <class Integer>
constexpr bool is_negative(Integer integer) {
  if constexpr (std::is_unsigned_v<Integer>) return false;
  return integer < 0;
}

/// Sum that must fit `Integer`. Partial sums need not fit.
template <class Integer>
struct CheckedSum {
  using Element = Integer;
  /// The exact sum, high · 2^64 + low. The sum of 2^63 elements has 127 bits.
  struct Value {
    std::uint64_t low = 0;
    std::int64_t high = 0;
  };
  using Result = Integer;
  static constexpr bool associative = true;

  void prepare() {}
  [[nodiscard]] Value value(const Integer& element, Index /*index*/) const {
    // The conversion extends the sign of a signed integer.
    return {static_cast<std::uint64_t>(element), is_negative(element) ? -1 : 0};
  }
  [[nodiscard]] Value fold(const Integer* elements, Index count, Index chunk, Index index) const;
  [[nodiscard]] Value join(const Value& left, const Value& right) const {
    const std::uint64_t low = left.low + right.low;
    return {low, left.high + right.high + (low < left.low ? 1 : 0)};
  }
  /// Throws `Error`, with the exact sum, if it does not fit.
  [[nodiscard]] Integer finish(const Value& value) const;
};

/// Product that must fit `Integer`. Partial products need not fit: one zero makes the product zero.
template <class Integer>
struct CheckedProduct {
  using Element = Integer;
  struct Value {
    std::uint64_t magnitude = 1;
    std::uint32_t negative = 0;  ///< 1 if the product is negative
    std::uint32_t beyond = 0;    ///< 1 if it exceeds 2^64 − 1; `magnitude` is then 2^64 − 1
  };
  using Result = Integer;
  static constexpr bool associative = true;

  void prepare() {}
  [[nodiscard]] Value value(const Integer& element, Index /*index*/) const {
    const auto bits = static_cast<std::uint64_t>(element);
    return is_negative(element) ? Value{-bits, 1, 0} : Value{bits, 0, 0};
  }
  [[nodiscard]] Value fold(const Integer* elements, Index count, Index chunk, Index index) const;
  [[nodiscard]] Value join(const Value& left, const Value& right) const {
    if (left.magnitude == 0 || right.magnitude == 0) return {0, 0, 0};
    Value product{1, left.negative ^ right.negative, left.beyond | right.beyond};
    if (__builtin_mul_overflow(left.magnitude, right.magnitude, &product.magnitude)) {
      product.beyond = 1;
    }
    if (product.beyond != 0) product.magnitude = ~std::uint64_t{0};
    return product;
  }
  /// Throws `Error` if it does not fit.
  [[nodiscard]] Integer finish(const Value& value) const;
};

/// Types that hold the exact product of two integers of up to 64 bits.
__extension__ using WideSigned = __int128;
__extension__ using WideUnsigned = unsigned __int128;
template <class Integer>
using WideInteger = std::conditional_t<std::is_signed_v<Integer>, WideSigned, WideUnsigned>;

/// Sum of products. The sum must fit `Integer`; the products need not.
template <class Integer>
struct CheckedSumOfProducts {
  using Element = WideInteger<Integer>;
  /// The exact sum in two's complement, the lowest 64 bits first.
  struct Value {
    std::uint64_t words[3] = {};
  };
  using Result = Integer;
  static constexpr bool associative = true;

  void prepare() {}
  [[nodiscard]] Value value(const Element& element, Index /*index*/) const {
    const auto low = static_cast<std::uint64_t>(element);
    const auto middle = static_cast<std::uint64_t>(element >> 64);
    return {{low, middle,
             std::is_signed_v<Integer> && static_cast<WideSigned>(element) < 0 ? ~std::uint64_t{0}
                                                                               : 0}};
  }
  [[nodiscard]] Value fold(const Element* elements, Index count, Index chunk, Index index) const;
  [[nodiscard]] Value join(const Value& left, const Value& right) const;
  /// Throws `Error`, with the exact sum, if it does not fit.
  [[nodiscard]] Integer finish(const Value& value) const;
};

/// Minimum or maximum of products. The result must fit `Integer`; the products need not. `Operator`
/// is `Minimum` or `Maximum`.
template <class Integer, class Operator>
struct CheckedExtremeOfProducts {
  using Element = WideInteger<Integer>;
  struct Value {
    std::uint64_t low = 0;
    std::conditional_t<std::is_signed_v<Integer>, std::int64_t, std::uint64_t> high = 0;
  };
  using Result = Integer;
  static constexpr bool associative = true;

  void prepare() {}
  [[nodiscard]] Value value(const Element& element, Index /*index*/) const {
    return {static_cast<std::uint64_t>(element), static_cast<decltype(Value::high)>(element >> 64)};
  }
  [[nodiscard]] Value fold(const Element* elements, Index count, Index chunk, Index index) const;
  [[nodiscard]] Value join(const Value& left, const Value& right) const;
  /// Throws `Error`, with the exact product, if it does not fit.
  [[nodiscard]] Integer finish(const Value& value) const;
};

}  // namespace bracket::runtime
