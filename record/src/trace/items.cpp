// SPDX-License-Identifier: MIT

#include "items.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <iomanip>
#include <sstream>

namespace bracket::record {

namespace {

using Bytes = std::span<const unsigned char>;

template <class Number>
Number number_at(Bytes bytes) {
  Number number{};
  std::memcpy(&number, bytes.data(), sizeof number);
  return number;
}

/// Numbers of a float on a line without a gap at 0: -0 and 0 are the same point.
template <class Float, class Bits>
std::optional<std::uint64_t> distance(Bytes a, Bytes b) {
  const auto x = number_at<Float>(a);
  const auto y = number_at<Float>(b);
  if (!std::isfinite(x) || !std::isfinite(y)) return std::nullopt;
  const auto magnitude = [](Float number) {
    return static_cast<std::uint64_t>(std::bit_cast<Bits>(std::fabs(number)));
  };
  if (std::signbit(x) != std::signbit(y)) return magnitude(x) + magnitude(y);
  return std::max(magnitude(x), magnitude(y)) - std::min(magnitude(x), magnitude(y));
}

/// Bytes of a float in an item; 0 if it has none.
std::size_t float_bytes(const Type& type) {
  const bool floats = type.element == Element::floating || type.element == Element::complex;
  return floats && (type.part == 4 || type.part == 8) ? type.part : 0;
}

bool has_nan(Bytes bytes, const Type& type) {
  const std::size_t part = float_bytes(type);
  for (std::size_t at = 0; part > 0 && at + part <= bytes.size(); at += part) {
    const Bytes x = bytes.subspan(at, part);
    if (part == 4 ? std::isnan(number_at<float>(x)) : std::isnan(number_at<double>(x))) return true;
  }
  return false;
}

std::optional<std::uint64_t> ulps_between(Bytes a, Bytes b, const Type& type) {
  const std::size_t part = float_bytes(type);
  std::optional<std::uint64_t> largest;
  for (std::size_t at = 0; part > 0 && at + part <= a.size(); at += part) {
    const Bytes x = a.subspan(at, part);
    const Bytes y = b.subspan(at, part);
    const auto ulps =
        part == 4 ? distance<float, std::uint32_t>(x, y) : distance<double, std::uint64_t>(x, y);
    if (!ulps) return std::nullopt;
    largest = std::max(largest.value_or(0), *ulps);
  }
  return largest;
}

template <class Number>
void print(std::ostream& out, Bytes bytes) {
  out << +number_at<Number>(bytes);
}

void print_integer(std::ostream& out, Bytes bytes, bool has_sign) {
  switch (bytes.size()) {
    case 1:
      return has_sign ? print<std::int8_t>(out, bytes) : print<std::uint8_t>(out, bytes);
    case 2:
      return has_sign ? print<std::int16_t>(out, bytes) : print<std::uint16_t>(out, bytes);
    case 4:
      return has_sign ? print<std::int32_t>(out, bytes) : print<std::uint32_t>(out, bytes);
    default:
      return has_sign ? print<std::int64_t>(out, bytes) : print<std::uint64_t>(out, bytes);
  }
}

void print_part(std::ostream& out, Bytes bytes, const Type& type) {
  if (float_bytes(type) > 0) {
    const double number = bytes.size() == 4 ? number_at<float>(bytes) : number_at<double>(bytes);
    out << std::hexfloat << number;
    if (!std::isnan(number)) return;
    const std::uint64_t bits =
        bytes.size() == 4 ? number_at<std::uint32_t>(bytes) : number_at<std::uint64_t>(bytes);
    out << " (0x" << std::hex << bits << ')';
    return;
  }
  const bool integer =
      type.element == Element::signed_integer || type.element == Element::unsigned_integer;
  if (integer && std::has_single_bit(bytes.size()) && bytes.size() <= 8) {
    return print_integer(out, bytes, type.element == Element::signed_integer);
  }
  constexpr std::size_t shown = 16;
  for (const unsigned char byte : bytes.first(std::min(shown, bytes.size()))) {
    out << std::hex << std::setw(2) << std::setfill('0') << +byte;
  }
}

std::string text_of(Bytes bytes, const Type& type) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  const std::size_t part =
      type.part > 0 ? std::min<std::size_t>(type.part, bytes.size()) : bytes.size();
  constexpr std::size_t shown = 4;
  for (std::size_t at = 0, k = 0; part > 0 && at + part <= bytes.size(); at += part, ++k) {
    if (k == shown) return out.str() + " ...";
    if (k > 0) out << ' ';
    print_part(out, bytes.subspan(at, part), type);
  }
  return out.str();
}

}  // namespace

std::optional<ItemDifference> first_difference(const Data& a, const Data& b, const Type& type) {
  const std::size_t kept = std::min(a.kept.size(), b.kept.size());
  const std::size_t item = std::max<std::size_t>(type.bytes, 1);
  for (std::size_t at = 0; at < kept; at += item) {
    const std::size_t bytes = std::min(item, kept - at);
    const Bytes x = a.kept.subspan(at, bytes);
    const Bytes y = b.kept.subspan(at, bytes);
    if (std::equal(x.begin(), x.end(), y.begin())) continue;
    if (bytes < item) return ItemDifference{.item = at / item, .whole = false};
    return ItemDifference{at / item,
                          true,
                          has_nan(x, type) || has_nan(y, type),
                          ulps_between(x, y, type),
                          text_of(x, type),
                          text_of(y, type)};
  }
  return std::nullopt;
}

std::optional<std::uint64_t> largest_ulps(const Data& a, const Data& b, const Type& type) {
  const std::size_t kept = std::min(a.kept.size(), b.kept.size());
  const std::size_t part = float_bytes(type);
  std::optional<std::uint64_t> largest;
  for (std::size_t at = 0; part > 0 && at + part <= kept; at += part) {
    const auto ulps = ulps_between(a.kept.subspan(at, part), b.kept.subspan(at, part), type);
    if (ulps && *ulps > 0) largest = std::max(largest.value_or(0), *ulps);
  }
  return largest;
}

}  // namespace bracket::record
