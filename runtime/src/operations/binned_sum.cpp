// SPDX-License-Identifier: MIT

#include "bracket/runtime/binned.hpp"

#include "operations/float_sum.hpp"

namespace bracket::runtime::reducers {

Made make_binned(const Operation& operation, std::string_view kernel_name) {
  const Kernel& kernel = select_kernel(kernel_name);
  const auto with_bins = [&]<int... index>(std::integer_sequence<int, index...>) {
    Made made;
    static_cast<void>(
        ((operation.algorithm.parameter == index + 1 &&
          (made = make_float_sum<BinnedSum<index + 1>>(operation.type, kernel), true)) ||
         ...));
    return made;
  };
  return with_bins(std::make_integer_sequence<int, Bins::most>());
}

}  // namespace bracket::runtime::reducers
