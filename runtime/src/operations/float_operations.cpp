// SPDX-License-Identifier: MIT

#include <limits>

#include "bracket/runtime/location.hpp"
#include "bracket/runtime/reductions.hpp"
#include "bracket/support/error.hpp"
#include "operations/operations.hpp"

namespace bracket::runtime::reducers {

namespace {

template <class Number, class Operator>
Made make_of_kernel(const Operation& operation, const Kernel& kernel) {
  constexpr auto nothing = Operator::template of_nothing<Number>;
  if (std::is_same_v<Number, float> && operation.widened) {
    return make_rounded<Number>(KernelReduction<double, Operator>{&kernel}, nothing);
  }
  return make<Number>(KernelReduction<Number, Operator>{&kernel}, nothing);
}

/// Location of the extreme of float32 elements, computed in float64 and rounded once at the end.
template <class Operator>
struct WidenedLocation : Location<double, Operator> {
  using Result = Located<float>;
  [[nodiscard]] Result finish(const Located<double>& extreme) const {
    return {static_cast<float>(extreme.value), extreme.index};
  }
};

template <class Number, class Operator>
Made make_location(const Operation& operation, const Kernel& kernel) {
  const Located<Number> nothing{Operator::template of_nothing<Number>, -1};
  if constexpr (std::is_same_v<Number, float>) {
    if (operation.widened) {
      return make<Number>(WidenedLocation<Operator>{{&kernel}}, nothing);
    }
  }
  return make<Number>(Location<Number, Operator>{&kernel}, nothing);
}

}  // namespace

template <class Number>
Made make_of_floats(const Operation& operation, std::string_view kernel_name) {
  const Kernel& kernel = select_kernel(kernel_name);
  switch (operation.op) {
    case Op::sum:
      return make_of_kernel<Number, Sum>(operation, kernel);
    case Op::product:
      return make_of_kernel<Number, Product>(operation, kernel);
    case Op::minimum:
      return make_of_kernel<Number, Minimum>(operation, kernel);
    case Op::maximum:
      return make_of_kernel<Number, Maximum>(operation, kernel);
    case Op::minimum_location:
      return make_location<Number, Minimum>(operation, kernel);
    case Op::digest:
      return make_digest<Number>();
    default:
      return make_location<Number, Maximum>(operation, kernel);
  }
}

template Made make_of_floats<float>(const Operation&, std::string_view);
template Made make_of_floats<double>(const Operation&, std::string_view);

}  // namespace bracket::runtime::reducers
