// SPDX-License-Identifier: MIT

#pragma once

#include <concepts>
#include <limits>
#include <type_traits>

/// Operators of numbers. All are bitwise commutative, except for a NaN's payload. They also work on
/// the compiler's vectors of numbers, lane by lane. They are always inlined: code that is compiled
/// for one instruction set must not be linked into another's path.
namespace bracket {

/// Types whose elements can be multiplied.
template <class Element>
concept Multipliable = requires(const Element& left, const Element& right) {
  { left* right } -> std::convertible_to<Element>;
};

/// True if `Element` is std::complex or a similar template, such as Kokkos::complex. This looks at
/// the members of the type and does not need <complex>, which takes long to compile.
template <class Element>
inline constexpr bool is_complex = false;
template <template <class> class Complex, std::floating_point Number>
requires requires(const Complex<Number>& element) {
  { element.real() } -> std::convertible_to<Number>;
  { element.imag() } -> std::convertible_to<Number>;
  Complex<Number>{element.real(), element.imag()};
} &&(sizeof(Complex<Number>) ==
     2 * sizeof(Number)) inline constexpr bool is_complex<Complex<Number>> = true;

/// The product of two elements, with each operation rounded once. Integers wrap. Unlike
/// in `std::complex`, infinities of complex numbers are not recovered.
template <class Element>
[[gnu::always_inline]] constexpr Element product_of(const Element& left, const Element& right) {
  if constexpr (std::is_same_v<Element, bool>) {
    return left && right;
  } else if constexpr (std::is_integral_v<Element>) {
    using Unsigned = std::make_unsigned_t<Element>;
    return static_cast<Element>(static_cast<Unsigned>(left) * static_cast<Unsigned>(right));
  } else if constexpr (is_complex<Element>) {
    return {left.real() * right.real() - left.imag() * right.imag(),
            left.real() * right.imag() + left.imag() * right.real()};
  } else {
    return left * right;
  }
}

struct Sum {
  static constexpr bool associative = false;
  template <class Number>
  static constexpr Number of_nothing = 0;

  template <class Value>
  [[gnu::always_inline]] constexpr Value operator()(Value left, Value right) const {
    return left + right;
  }
};

struct Product {
  static constexpr bool associative = false;
  template <class Number>
  static constexpr Number of_nothing = 1;

  template <class Value>
  [[gnu::always_inline]] constexpr Value operator()(Value left, Value right) const {
    return left * right;
  }
};

/// The lesser of two integers, or IEEE 754-2019's minimum of two floats: NaN if either is a NaN,
/// and −0 is below +0. The result of a reduction does not depend on the bracketing.
struct Minimum {
  static constexpr bool associative = true;
  template <class Number>
  static constexpr Number of_nothing = std::numeric_limits<Number>::infinity();

  template <class Value>
  [[gnu::always_inline]] constexpr Value operator()(Value left, Value right) const {
    if constexpr (std::is_integral_v<Value>) {
      return right < left ? right : left;
    } else if constexpr (std::is_floating_point_v<Value>) {
      if (left < right) return left;
      if (right < left) return right;
      if (left != right) return left + right;  // a NaN
      return __builtin_signbit(left) != 0 ? left : right;
    } else {
      // If neither number is less, one choice takes the left and the other takes the right. Their
      // bits together are −0 for zeros of both signs, and a NaN if either is a NaN.
      using Bits = decltype(left < right);
      return Value(Bits(left < right ? left : right) | Bits(right < left ? right : left));
    }
  }
};

/// The greater of two integers, or IEEE 754-2019's maximum of two floats: NaN if either is a NaN,
/// and +0 is above −0.
struct Maximum {
  static constexpr bool associative = true;
  template <class Number>
  static constexpr Number of_nothing = -std::numeric_limits<Number>::infinity();

  template <class Value>
  [[gnu::always_inline]] constexpr Value operator()(Value left, Value right) const {
    if constexpr (std::is_integral_v<Value>) {
      return left < right ? right : left;
    } else {
      return -Minimum()(-left, -right);
    }
  }
};

}  // namespace bracket
