// SPDX-License-Identifier: MIT

#pragma once

#include <complex>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

#include "bracket/model/operation.hpp"
#include "bracket/runtime/digest.hpp"
#include "bracket/runtime/field_operation.hpp"
#include "bracket/runtime/reductions.hpp"

/// Operations of the library, by what they compute.
namespace bracket::runtime::reducers {

using Made = std::unique_ptr<FieldOperation>;

/// Makes the operation that computes `operation`, with the kernel that `select_kernel` takes for
/// this name. Throws `Error` as `Operation::check` and `select_kernel` do.
Made make_operation(const Operation& operation, std::string_view kernel);

/// Parts of `make_operation`, for combinations that make sense. `Number` is float or double;
/// `Integer` has 32 or 64 bits. Each throws `Error` as `select_kernel` does.
template <class Number>
Made make_of_floats(const Operation& operation, std::string_view kernel);
template <class Number>
Made make_of_complexes(const Operation& operation, std::string_view kernel);
template <class Integer>
Made make_of_integers(const Operation& operation);

/// Make sums of float32, float64 or complex numbers in an arithmetic other than plain: one function
/// for each row of the table of arithmetics.
#define BRACKET_ROW(name, ...) \
  Made make_##name(const Operation& operation, std::string_view kernel);
BRACKET_ARITHMETICS(BRACKET_ROW)
#undef BRACKET_ROW

/// Makes the largest magnitude of float32 or float64, as float64; 0 without elements. The elements
/// may be products. Throws `Error` as `select_kernel` does.
Made make_largest_magnitude(Type type, std::string_view kernel);

/// `Reduced` with a result that is rounded to `Number`, once, if its value has more digits than
/// float64.
template <class Reduced, class Number>
struct Rounded : Reduced {
  using Result = Number;
  [[nodiscard]] Number finish(const typename Reduced::Value& value) const {
    if constexpr (RoundsToOdd<Reduced>) {
      return static_cast<Number>(Reduced::finish_to_odd(value));
    } else {
      return static_cast<Number>(Reduced::finish(value));
    }
  }
};

/// Makes an operation on `Number`s; `nothing` is the result for zero elements.
template <class Number, class Reduced>
Made make(Reduced operation, typename Reduced::Result nothing) {
  return std::make_unique<FieldOperationOf<Reduced, Number>>(nothing, std::move(operation));
}

/// Makes the digest of `Number`s; the digest of zero elements is {0, 0}.
template <class Number>
Made make_digest() {
  return make<Number>(DigestReduction<Number>{}, Digest{});
}

/// Same as `make`, but rounds the operation's results once if they are wider than `Number`.
template <class Number, class Reduced>
Made make_rounded(const Reduced& operation, Number nothing) {
  if constexpr (std::is_same_v<Number, typename Reduced::Result>) {
    return make<Number>(operation, nothing);
  } else {
    return make<Number>(Rounded<Reduced, Number>{operation}, nothing);
  }
}

}  // namespace bracket::runtime::reducers
