// SPDX-License-Identifier: MIT

#include "bracket/runtime/complex.hpp"

#include "operations/operations.hpp"

namespace bracket::runtime::reducers {

template <class Number>
Made make_of_complexes(const Operation& operation, std::string_view kernel_name) {
  using Complex = std::complex<Number>;
  if (operation.op == Op::digest) return make_digest<Complex>();
  const Kernel& kernel = select_kernel(kernel_name);
  const bool widened = std::is_same_v<Number, float> && operation.widened;
  if (operation.op == Op::sum) {
    if (widened) return make_rounded<Complex>(ComplexSum<double>{&kernel}, 0);
    return make_rounded<Complex>(ComplexSum<Number>{&kernel}, 0);
  }
  if (widened) return make_rounded<Complex>(ComplexProduct<double>{}, 1);
  return make_rounded<Complex>(ComplexProduct<Number>{}, 1);
}

template Made make_of_complexes<float>(const Operation&, std::string_view);
template Made make_of_complexes<double>(const Operation&, std::string_view);

}  // namespace bracket::runtime::reducers
