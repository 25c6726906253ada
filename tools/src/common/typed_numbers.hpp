// SPDX-License-Identifier: MIT

#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "bracket/model/element.hpp"
#include "bracket/model/range.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::tools {

/// Calls `use` with a number of the C++ type for `type`. Throws `Error` for an invalid `type`.
template <class Use>
auto with_number(Type type, Use&& use) {
  switch (type) {
    case Type::int32:
      return use(std::int32_t{});
    case Type::int64:
      return use(std::int64_t{});
    case Type::float32:
      return use(float{});
    case Type::float64:
      return use(double{});
    case Type::complex64:
      return use(std::complex<float>{});
    case Type::complex128:
      return use(std::complex<double>{});
    case Type::uint32:
      return use(std::uint32_t{});
    case Type::uint64:
      return use(std::uint64_t{});
  }
  throw Error(text("there is no type of number ", static_cast<int>(type)));
}

/// Number of real numbers in an element: two make a complex one.
Index numbers_in(Type type);

/// Converts real numbers to the numbers of elements of `type`, from `target` on. Stops at the first
/// one that does not fit an integer type, and returns its place. `made_up` numbers become integers
/// by a factor of 2^11 (so the smallest are 1), without fractions and, if unsigned, without signs.
std::optional<std::size_t> convert(std::span<double> numbers, Type type, bool made_up,
                                   std::byte* target);

}  // namespace bracket::tools
