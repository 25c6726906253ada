// SPDX-License-Identifier: MIT

#include "common/typed_numbers.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace bracket::tools {

namespace {

/// Whether `number` fits `Number`; a float may round it.
template <class Number>
bool fits(double number) {
  if constexpr (std::is_integral_v<Number>) {
    // A double holds the least exactly (it is 0 or a power of two), but maybe not the largest.
    constexpr auto least = static_cast<double>(std::numeric_limits<Number>::min());
    const double end = std::ldexp(1.0, std::numeric_limits<Number>::digits);
    return number >= least && number < end && std::trunc(number) == number;
  }
  return true;
}

template <class Number>
std::optional<std::size_t> convert_to(std::span<double> numbers, bool made_up, std::byte* target) {
  if (std::is_integral_v<Number> && made_up) {
    for (double& number : numbers) {
      number = std::trunc(number * 2048);
      if (std::is_unsigned_v<Number>) number = std::abs(number);
    }
  }
  for (std::size_t i = 0; i < numbers.size(); ++i, target += sizeof(Number)) {
    if (!fits<Number>(numbers[i])) return i;
    const auto number = static_cast<Number>(numbers[i]);
    std::memcpy(target, &number, sizeof number);
  }
  return std::nullopt;
}

}  // namespace

Index numbers_in(Type type) { return type == Type::complex64 || type == Type::complex128 ? 2 : 1; }

std::optional<std::size_t> convert(std::span<double> numbers, Type type, bool made_up,
                                   std::byte* target) {
  return with_number(type, [&](auto number) {
    using Number = decltype(number);
    if constexpr (std::is_arithmetic_v<Number>) {
      return convert_to<Number>(numbers, made_up, target);
    } else {
      return convert_to<typename Number::value_type>(numbers, made_up, target);
    }
  });
}

}  // namespace bracket::tools
