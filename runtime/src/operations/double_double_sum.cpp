// SPDX-License-Identifier: MIT

#include "bracket/runtime/double_double.hpp"

#include "operations/float_sum.hpp"

namespace bracket::runtime::reducers {

Made make_double_double(const Operation& operation, std::string_view kernel_name) {
  return make_float_sum(operation.type, DoubleDoubleSum{&select_kernel(kernel_name)});
}

}  // namespace bracket::runtime::reducers
