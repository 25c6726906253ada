// SPDX-License-Identifier: MIT

#include "bracket/runtime/stochastic_sum.hpp"

#include "operations/float_sum.hpp"

namespace bracket::runtime::reducers {

Made make_stochastic(const Operation& operation, std::string_view kernel_name) {
  return make_float_sum(operation.type, StochasticSum{&select_kernel(kernel_name)});
}

}  // namespace bracket::runtime::reducers
