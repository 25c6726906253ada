// SPDX-License-Identifier: MIT

#pragma once

#include "bracket/runtime/complex.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "operations/operations.hpp"

namespace bracket::runtime::reducers {

/// Makes the sum of `type`, float32 or float64, by `sum`, one of float64. The results are rounded
/// once.
template <class Reduced>
Made make_real_sum(Type type, const Reduced& sum) {
  if (type == Type::float32) return make_rounded<float>(sum, 0);
  if (type == Type::float64) return make_rounded<double>(sum, 0);
  throw Error(text("a sum of float32 or float64, not of ", name_of(type)));
}

/// Makes the sum of `type`, a float or complex type, by `sum`, one of float64. Complex numbers have
/// such a sum of each part. The results are rounded once.
template <class Reduced>
Made make_float_sum(Type type, const Reduced& sum) {
  const Complexes<Reduced> sums{sum};
  switch (type) {
    case Type::float32:
      return make_rounded<float>(sum, 0);
    case Type::float64:
      return make_rounded<double>(sum, 0);
    case Type::complex64:
      return make_rounded<std::complex<float>>(sums, 0);
    case Type::complex128:
      return make_rounded<std::complex<double>>(sums, 0);
    default:
      throw Error(text("a sum of floats, not of ", name_of(type)));
  }
}

}  // namespace bracket::runtime::reducers
