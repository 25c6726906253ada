#pragma once

#include <complex>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "bracket/runtime/any_reducer.hpp"
#include "bracket/runtime/digest.hpp"
#include "bracket/runtime/field_operation.hpp"
#include "bracket/runtime/operation.hpp"

/// Operations that `make_reducer` chooses from, one function for each kind of numbers.
namespace bracket::runtime::reducers {

/// Request for the operation of some fields.
struct Request {
  Op op;
  bool of_products;  ///< whether any of these fields consists of products
  const Settings& settings;
  const Algorithm& algorithm;  ///< of the settings
};

using Made = std::unique_ptr<runtime::FieldOperation>;

/// Each function throws `Error` for a combination that makes no sense.
template <class Number>  // float, double
Made make_of_floats(const Request& request);
template <class Number>  // float, double: of complex numbers
Made make_of_complexes(const Request& request);
template <class Integer>  // std::int32_t, std::int64_t, std::uint32_t, std::uint64_t
Made make_of_integers(const Request& request);

/// Make sums of float32, float64 or complex numbers in an arithmetic other than plain: one function
/// for each row of the table of arithmetics.
#define BRACKET_ROW(name, ...) Made make_##name(Type type, const Request& request);
BRACKET_ARITHMETICS(BRACKET_ROW)
#undef BRACKET_ROW

/// `Operation` with a result that is rounded to `Number`, once, if its value has more digits than
/// float64.
template <class Operation, class Number>
struct Rounded : Operation {
  using Result = Number;
  [[nodiscard]] Number finish(const typename Operation::Value& value) const {
    if constexpr (RoundsToOdd<Operation>) {
      return static_cast<Number>(Operation::finish_to_odd(value));
    } else {
      return static_cast<Number>(Operation::finish(value));
    }
  }
};

/// Makes an operation on `Number`s; `nothing` is the result for zero elements.
template <class Number, class Operation>
Made make(Operation operation, typename Operation::Result nothing) {
  return std::make_unique<runtime::FieldOperationOf<Operation, Number>>(nothing,
                                                                        std::move(operation));
}

/// Makes the digest of `Number`s; the digest of zero elements is {0, 0}.
template <class Number>
Made make_digest() {
  return make<Number>(DigestReduction<Number>{}, Digest{});
}

/// Same as `make`, but rounds the operation's results once if they are wider than `Number`.
template <class Number, class Operation>
Made make_rounded(const Operation& operation, Number nothing) {
  if constexpr (std::is_same_v<Number, typename Operation::Result>) {
    return make<Number>(operation, nothing);
  } else {
    return make<Number>(Rounded<Operation, Number>{operation}, nothing);
  }
}

}  // namespace bracket::runtime::reducers
