// SPDX-License-Identifier: MIT

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

/// Operators that reveal the bracketing and the order of operands.
namespace bracket::testing {

/// A short string, stored by value. A join shows its bracketing: "a" and "b" make "(ab)".
struct Text {
  std::array<char, 200> letters{};

  [[nodiscard]] std::string str() const { return letters.data(); }
  friend bool operator==(const Text&, const Text&) = default;
};

inline Text text_of(const std::string& letters) {
  Text result;
  std::copy_n(letters.data(), std::min(letters.size(), result.letters.size() - 1),
              result.letters.data());
  return result;
}

struct Concatenate {
  Text operator()(const Text& left, const Text& right) const {
    return text_of(text('(', left.str(), right.str(), ')'));
  }
};

/// 2x2 matrices. Their product is not commutative. It is associative for integers modulo 2^64, but
/// not for doubles.
template <class Number>
struct Matrix {
  Number a{}, b{}, c{}, d{};
  friend bool operator==(const Matrix&, const Matrix&) = default;
};
using IntegerMatrix = Matrix<std::uint64_t>;
using RealMatrix = Matrix<double>;

struct Multiply {
  template <class Number>
  Matrix<Number> operator()(const Matrix<Number>& x, const Matrix<Number>& y) const {
    return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c,
            x.c * y.b + x.d * y.d};
  }
};

}  // namespace bracket::testing
