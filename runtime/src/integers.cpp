#include "bracket/runtime/integers.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

#include "bracket/model/error.hpp"

namespace bracket {

namespace {

/// Elements at a time: a number that is known, for the compiler to make vectors of.
constexpr Index block_size = 1024;

template <class Integer>
constexpr std::string_view name = sizeof(Integer) == 4 ? "int32" : "int64";

template <class Integer>
[[noreturn]] void refuse(const char* what, const std::string& exact) {
  using Limits = std::numeric_limits<Integer>;
  throw Error(text("the ", what, " does not fit ", name<Integer>, ": it is ", exact,
                   ", which is not between ", Limits::min(), " and ", Limits::max()));
}

/// high · 2^64 + low in decimal.
std::string decimal(std::uint64_t low, std::int64_t high) {
  const bool negative = high < 0;
  auto rest = static_cast<std::uint64_t>(high);
  if (negative) {
    low = -low;
    rest = ~rest + (low == 0 ? 1 : 0);
  }
  std::uint64_t limbs[] = {rest >> 32, rest & 0xFFFFFFFFu, low >> 32, low & 0xFFFFFFFFu};
  std::string digits;
  do {
    std::uint64_t remainder = 0;
    for (auto& limb : limbs) {
      const std::uint64_t dividend = remainder << 32 | limb;
      limb = dividend / 10;
      remainder = dividend % 10;
    }
    digits += static_cast<char>('0' + remainder);
  } while (std::any_of(std::begin(limbs), std::end(limbs), [](auto limb) { return limb != 0; }));
  if (negative) digits += '-';
  return {digits.rbegin(), digits.rend()};
}

/// The exact sum of up to 2^31 elements.
typename CheckedSum<std::int32_t>::Value sum_of(const std::int32_t* elements, Index count) {
  std::int64_t sum = 0;
  for (Index i = 0; i < count; ++i) sum += elements[i];
  return {static_cast<std::uint64_t>(sum), sum < 0 ? -1 : 0};
}

typename CheckedSum<std::int64_t>::Value sum_of(const std::int64_t* elements, Index count) {
  // The halves by themselves, each far from overflow, of numbers that are 2^63 greater: vectors of
  // 64 bits have no shift that keeps the sign.
  constexpr std::uint64_t bias = std::uint64_t{1} << 63;
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  for (Index i = 0; i < count; ++i) {
    const std::uint64_t biased = static_cast<std::uint64_t>(elements[i]) + bias;
    low += biased & 0xFFFFFFFFu;
    high += biased >> 32;
  }
  const std::int64_t signed_high =
      static_cast<std::int64_t>(high) - count * static_cast<std::int64_t>(bias >> 32);
  const auto shifted = static_cast<std::uint64_t>(signed_high) << 32;
  return CheckedSum<std::int64_t>().join({shifted, signed_high >> 32}, {low, 0});
}

}  // namespace

template <class Integer, class Operator>
Integer WrappingReduction<Integer, Operator>::join(const Integer& left,
                                                   const Integer& right) const {
  if constexpr (std::is_same_v<Operator, Sum> || std::is_same_v<Operator, Product>) {
    // Unsigned 64 bits wide: narrower ones would be multiplied as signed.
    return static_cast<Integer>(
        Operator()(static_cast<std::uint64_t>(left), static_cast<std::uint64_t>(right)));
  } else {
    return Operator()(left, right);
  }
}

template <class Integer, class Operator>
Integer WrappingReduction<Integer, Operator>::fold(const Integer* elements, Index count,
                                                   Index /*chunk*/, Index /*index*/) const {
  using Number =
      std::conditional_t<std::is_same_v<Operator, Sum> || std::is_same_v<Operator, Product>,
                         std::make_unsigned_t<Integer>, Integer>;
  constexpr int lanes = 32;
  Integer result = elements[0];
  Index i = 1;
  if (count > 2 * lanes) {
    Number side_by_side[lanes];
    for (int k = 0; k < lanes; ++k) side_by_side[k] = static_cast<Number>(elements[k]);
    for (i = lanes; i + lanes <= count; i += lanes) {
      for (int k = 0; k < lanes; ++k) {
        side_by_side[k] = Operator()(side_by_side[k], static_cast<Number>(elements[i + k]));
      }
    }
    result = static_cast<Integer>(side_by_side[0]);
    for (int k = 1; k < lanes; ++k) result = join(result, static_cast<Integer>(side_by_side[k]));
  }
  for (; i < count; ++i) result = join(result, elements[i]);
  return result;
}

template <class Integer>
typename CheckedSum<Integer>::Value CheckedSum<Integer>::fold(const Integer* elements, Index count,
                                                              Index /*chunk*/,
                                                              Index /*index*/) const {
  Value sum;
  for (Index begin = 0; begin < count; begin += block_size) {
    sum = join(sum, sum_of(elements + begin, std::min(block_size, count - begin)));
  }
  return sum;
}

template <class Integer>
Integer CheckedSum<Integer>::finish(const Value& value) const {
  const auto sum = static_cast<std::int64_t>(value.low);
  const bool fits_64 = value.high == (sum < 0 ? -1 : 0);
  if (!fits_64 || static_cast<Integer>(sum) != sum) {
    refuse<Integer>("sum", decimal(value.low, value.high));
  }
  return static_cast<Integer>(sum);
}

template <class Integer>
typename CheckedProduct<Integer>::Value CheckedProduct<Integer>::fold(const Integer* elements,
                                                                      Index count, Index /*chunk*/,
                                                                      Index index) const {
  constexpr std::uint64_t all_greater = ~std::uint64_t{0};
  Value product;
  Index i = 0;
  for (; i < count && product.magnitude != all_greater && product.magnitude != 0; ++i) {
    product = join(product, value(elements[i], index + i));
  }
  if (product.magnitude == 0) return product;
  // Too great already: only a zero, or the sign, can change that.
  Integer signs = 0;
  for (; i < count; i += block_size) {
    const Index size = std::min(block_size, count - i);
    Integer zeros = 0;
    for (Index k = i; k < i + size; ++k) {
      zeros |= static_cast<Integer>(elements[k] == 0);
      signs ^= elements[k];
    }
    if (zeros != 0) return {0, 0};
  }
  product.negative ^= signs < 0 ? 1u : 0u;
  return product;
}

template <class Integer>
Integer CheckedProduct<Integer>::finish(const Value& value) const {
  using Limits = std::numeric_limits<Integer>;
  const std::uint64_t most = static_cast<std::uint64_t>(Limits::max()) + value.negative;
  if (value.magnitude > most) {
    const bool exact = value.magnitude != ~std::uint64_t{0};
    const char* const sign = value.negative != 0 ? "-" : "";
    refuse<Integer>(
        "product", exact ? text(sign, value.magnitude) : text(sign, value.magnitude, " or beyond"));
  }
  const auto magnitude = value.magnitude;
  return static_cast<Integer>(value.negative != 0 ? -magnitude : magnitude);
}

template struct WrappingReduction<std::int32_t, Sum>;
template struct WrappingReduction<std::int32_t, Product>;
template struct WrappingReduction<std::int32_t, Minimum>;
template struct WrappingReduction<std::int32_t, Maximum>;
template struct WrappingReduction<std::int64_t, Sum>;
template struct WrappingReduction<std::int64_t, Product>;
template struct WrappingReduction<std::int64_t, Minimum>;
template struct WrappingReduction<std::int64_t, Maximum>;
template struct CheckedSum<std::int32_t>;
template struct CheckedSum<std::int64_t>;
template struct CheckedProduct<std::int32_t>;
template struct CheckedProduct<std::int64_t>;

}  // namespace bracket
