// SPDX-License-Identifier: MIT

#include "bracket/runtime/binned.hpp"

#include "operations/float_sum.hpp"

namespace bracket::runtime::reducers {

namespace {

Made make_sum_of_bins(const Operation& operation, std::string_view kernel_name, bool exact) {
  const Kernel& kernel = select_kernel(kernel_name);
  const auto with_bins = [&]<int... index>(std::integer_sequence<int, index...>) {
    Made made;
    static_cast<void>(
        ((operation.algorithm.parameter == index + 1 &&
          (made = make_float_sum(operation.type,
                                 BinnedSum<index + 1>{&kernel, operation.algorithm.width, exact}),
           true)) ||
         ...));
    return made;
  };
  return with_bins(std::make_integer_sequence<int, Bins::most>());
}

}  // namespace

Made make_binned(const Operation& operation, std::string_view kernel) {
  return make_sum_of_bins(operation, kernel, false);
}

Made make_binned_exact(const Operation& operation, std::string_view kernel) {
  return make_sum_of_bins(operation, kernel, true);
}

}  // namespace bracket::runtime::reducers
