// SPDX-License-Identifier: MIT

#pragma once

#include <cstdint>
#include <type_traits>

#include "bracket/model/range.hpp"
#include "bracket/runtime/kernel.hpp"
#include "bracket/runtime/operators.hpp"
#include "bracket/runtime/results.hpp"

namespace bracket::runtime {

/// The extreme element by `Operator`, `Minimum` or `Maximum`, and the lowest global index at which
/// it lies. As in these operators, a NaN is more extreme than any number, and −0 is below +0: the
/// minimum of +0, −0 is the second element. The library has instances for integers of 32 and 64
/// bits, signed and unsigned, `float` and `double`.
template <class Number, class Operator>
struct Location {
  /// Type of 8 bytes that holds every `Number`. A smaller type would leave a gap before the index.
  using Wide =
      std::conditional_t<std::is_floating_point_v<Number>, double,
                         std::conditional_t<std::is_signed_v<Number>, std::int64_t, std::uint64_t>>;

  using Element = Number;
  using Value = Located<Wide>;
  using Result = Located<Number>;

  const Kernel* kernel = nullptr;  ///< for floats only
  static constexpr bool associative = true;

  /// Takes the kernel of `select_kernel` if none is given, and throws as `select_kernel` does.
  void prepare() {
    if (std::is_floating_point_v<Number> && kernel == nullptr) kernel = &select_kernel();
  }
  [[nodiscard]] Value value(const Number& element, Index index) const;
  [[nodiscard]] Value fold(const Number* elements, Index count, Index chunk, Index index) const;
  [[nodiscard]] Value join(const Value& left, const Value& right) const;
  /// The result; a NaN is the quiet NaN of `canonical`.
  [[nodiscard]] Result finish(const Value& value) const {
    return {static_cast<Number>(value.value), value.index};
  }
};

}  // namespace bracket::runtime
