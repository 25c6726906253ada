// SPDX-License-Identifier: MIT

#include "bracket/runtime/integers.hpp"

#include <limits>
#include <type_traits>

#include "bracket/runtime/location.hpp"
#include "operations/operations.hpp"

namespace bracket::runtime::reducers {

namespace {

/// Makes a separate operation for products that may not fit `Integer` although the result does.
template <class Integer>
Made make_checked_products(const Operation& operation) {
  using Limits = std::numeric_limits<Integer>;
  switch (operation.op) {
    case Op::sum:
      return make<Integer>(CheckedSumOfProducts<Integer>{}, 0);
    case Op::minimum:
      return make<Integer>(CheckedExtremeOfProducts<Integer, Minimum>{}, Limits::max());
    default:
      return make<Integer>(CheckedExtremeOfProducts<Integer, Maximum>{}, Limits::min());
  }
}

}  // namespace

template <class Integer>
Made make_of_integers(const Operation& operation) {
  using Limits = std::numeric_limits<Integer>;
  const bool checked = operation.checked;
  // Wrapping sums and products, and digests, have the same bits with and without sign. Only those
  // without sign are compiled.
  using Bits = std::make_unsigned_t<Integer>;
  if (operation.op == Op::digest) return make_digest<Bits>();
  if (checked && operation.of_products()) return make_checked_products<Integer>(operation);
  switch (operation.op) {
    case Op::sum:
      if (checked) return make<Integer>(CheckedSum<Integer>{}, 0);
      return make<Bits>(WrappingReduction<Bits, Sum>{}, 0);
    case Op::product:
      if (checked) return make<Integer>(CheckedProduct<Integer>{}, 1);
      return make<Bits>(WrappingReduction<Bits, Product>{}, 1);
    case Op::minimum:
      return make<Integer>(WrappingReduction<Integer, Minimum>{}, Limits::max());
    case Op::maximum:
      return make<Integer>(WrappingReduction<Integer, Maximum>{}, Limits::min());
    case Op::minimum_location:
      return make<Integer>(Location<Integer, Minimum>{}, {Limits::max(), -1});
    default:
      return make<Integer>(Location<Integer, Maximum>{}, {Limits::min(), -1});
  }
}

template Made make_of_integers<std::int32_t>(const Operation&);
template Made make_of_integers<std::int64_t>(const Operation&);
template Made make_of_integers<std::uint32_t>(const Operation&);
template Made make_of_integers<std::uint64_t>(const Operation&);

}  // namespace bracket::runtime::reducers
