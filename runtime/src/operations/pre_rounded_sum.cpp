// SPDX-License-Identifier: MIT

#include "bracket/runtime/pre_rounded.hpp"

#include "operations/float_sum.hpp"

namespace bracket::runtime::reducers {

Made make_pre_rounded(const Operation& operation, std::string_view kernel_name) {
  const Kernel& kernel = select_kernel(kernel_name);
  switch (operation.algorithm.parameter) {
    case 1:
      return make_real_sum(operation.type, PreRoundedSum<1>{&kernel});
    case 2:
      return make_real_sum(operation.type, PreRoundedSum<2>{&kernel});
    case 3:
      return make_real_sum(operation.type, PreRoundedSum<3>{&kernel});
    default:
      static_assert(PreRounding::most == 4);
      return make_real_sum(operation.type, PreRoundedSum<4>{&kernel});
  }
}

Made make_largest_magnitude(Type type, std::string_view kernel_name) {
  const LargestMagnitude largest{&select_kernel(kernel_name)};
  if (type == Type::float32) return make<float>(largest, 0.0);
  return make<double>(largest, 0.0);
}

}  // namespace bracket::runtime::reducers
