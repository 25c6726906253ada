// SPDX-License-Identifier: MIT

#include "common/result.hpp"

#include <fmt/format.h>

#include <bit>
#include <complex>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "bracket/runtime/results.hpp"
#include "bracket/support/fnv1a.hpp"
#include "common/typed_numbers.hpp"

namespace bracket::tools {

std::string bits_text(double value) {
  return fmt::format("0x{:016X}", std::bit_cast<std::uint64_t>(value));
}

void tell_result(nlohmann::ordered_json& row, std::span<const double> items) {
  tell_result(row, Type::float64, Op::sum, std::as_bytes(items));
}

namespace {

std::string hexadecimal(double number) { return fmt::format("{:a}", number); }
std::string bits_of(double number) { return bits_text(number); }
std::string bits_of(float number) {
  return fmt::format("0x{:08X}", std::bit_cast<std::uint32_t>(number));
}

template <class Number>
void tell_number(nlohmann::ordered_json& row, Number number) {
  row["result"] = number;
  if constexpr (std::is_floating_point_v<Number>) {
    row["result_hex"] = hexadecimal(number);
    row["result_bits"] = bits_of(number);
  }
}
template <class Part>
void tell_number(nlohmann::ordered_json& row, std::complex<Part> number) {
  row["result"] = {number.real(), number.imag()};
  row["result_hex"] = hexadecimal(number.real()) + " " + hexadecimal(number.imag());
  row["result_bits"] = bits_of(number.real()) + " " + bits_of(number.imag());
}
template <class Number>
void tell_number(nlohmann::ordered_json& row, const Located<Number>& located) {
  tell_number(row, located.value);
  row["result_index"] = located.index;
}
void tell_number(nlohmann::ordered_json& row, const Digest& digest) {
  row["result_set"] = fmt::format("{:016x}", digest.set);
  row["result_sequence"] = fmt::format("{:016x}", digest.sequence);
}

bool locates(Op op) { return op == Op::minimum_location || op == Op::maximum_location; }

/// Adds the bits of a number to a digest.
template <class Number>
void add_bits(support::Fnv1a& digest, Number number) {
  if constexpr (std::is_same_v<Number, double>) {
    digest.number(std::bit_cast<std::uint64_t>(number));
  } else if constexpr (std::is_same_v<Number, float>) {
    digest.number(std::bit_cast<std::uint32_t>(number));
  } else if constexpr (std::is_integral_v<Number>) {
    digest.number(static_cast<std::uint64_t>(number));
  } else {
    add_bits(digest, number.real());
    add_bits(digest, number.imag());
  }
}

template <class Number>
void add_bits(support::Fnv1a& digest, const Located<Number>& located) {
  add_bits(digest, located.value);
  digest.number(static_cast<std::uint64_t>(located.index));
}
void add_bits(support::Fnv1a& digest, const Digest& result) {
  digest.number(result.set);
  digest.number(result.sequence);
}

/// Adds a result, or the digest of several.
template <class Result>
void tell_each(nlohmann::ordered_json& row, std::span<const std::byte> results) {
  support::Fnv1a digest;
  const std::size_t count = results.size() / sizeof(Result);
  for (std::size_t i = 0; i < count; ++i) {
    Result result;
    std::memcpy(&result, results.data() + i * sizeof result, sizeof result);
    if (count == 1) return tell_number(row, result);
    add_bits(digest, result);
  }
  row["result_digest"] = fmt::format("{:016x}", digest.value());
}

template <class Number>
void tell_results(nlohmann::ordered_json& row, Op op, std::span<const std::byte> results) {
  if constexpr (std::is_arithmetic_v<Number>) {
    if (locates(op)) return tell_each<Located<Number>>(row, results);
  }
  tell_each<Number>(row, results);
}

}  // namespace

std::size_t result_bytes(Type type, Op op) {
  if (op == Op::digest) return sizeof(Digest);
  return with_number(type, [&](auto number) -> std::size_t {
    if constexpr (std::is_arithmetic_v<decltype(number)>) {
      if (locates(op)) return sizeof(Located<decltype(number)>);
    }
    return sizeof number;
  });
}

void tell_result(nlohmann::ordered_json& row, Type type, Op op,
                 std::span<const std::byte> results) {
  if (op == Op::digest) return tell_each<Digest>(row, results);
  with_number(type, [&](auto number) { tell_results<decltype(number)>(row, op, results); });
}

}  // namespace bracket::tools
