// SPDX-License-Identifier: MIT

#include "bracket/runtime/integers.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::runtime {

namespace {

/// Elements per block. A constant count lets the compiler vectorise.
constexpr Index integer_block = 1024;

template <class Integer>
constexpr std::string_view name = std::is_signed_v<Integer>
                                      ? (sizeof(Integer) == 4 ? "int32" : "int64")
                                      : (sizeof(Integer) == 4 ? "uint32" : "uint64");

template <class Integer>
[[noreturn]] void refuse(const char* what, const std::string& exact) {
  using Limits = std::numeric_limits<Integer>;
  throw Error(text("the ", what, " does not fit ", name<Integer>, ": it is ", exact,
                   ", which is not between ", Limits::min(), " and ", Limits::max()));
}

/// Decimal form of a two's-complement number, given as words, lowest first.
std::string decimal(std::span<const std::uint64_t> words) {
  const bool negative = words.back() >> 63 != 0;
  std::vector<std::uint64_t> limbs;  // of the magnitude, 32 bits each, the lowest first
  std::uint64_t carry = negative ? 1 : 0;
  for (std::uint64_t word : words) {
    if (negative) {
      word = ~word + carry;
      carry = carry != 0 && word == 0 ? 1 : 0;
    }
    limbs.push_back(word & 0xFFFFFFFFu);
    limbs.push_back(word >> 32);
  }
  std::string digits;
  do {
    std::uint64_t remainder = 0;
    for (auto limb = limbs.rbegin(); limb != limbs.rend(); ++limb) {
      const std::uint64_t dividend = remainder << 32 | *limb;
      *limb = dividend / 10;
      remainder = dividend % 10;
    }
    digits += static_cast<char>('0' + remainder);
  } while (std::any_of(limbs.begin(), limbs.end(), [](auto limb) { return limb != 0; }));
  if (negative) digits += '-';
  return {digits.rbegin(), digits.rend()};
}

/// Converts the words of a two's-complement number to `Integer`. Throws `Error` if it does not fit.
template <class Integer>
Integer narrowed(const char* what, std::span<const std::uint64_t> words) {
  const auto integer = static_cast<Integer>(words[0]);
  const std::uint64_t sign = is_negative(integer) ? ~std::uint64_t{0} : 0;
  const bool fits_64 =
      std::all_of(words.begin() + 1, words.end(), [=](std::uint64_t word) { return word == sign; });
  if (!fits_64 || static_cast<std::uint64_t>(integer) != words[0]) {
    refuse<Integer>(what, decimal(words));
  }
  return integer;
}

/// The exact sum of up to 2^31 elements.
typename CheckedSum<std::int32_t>::Value sum_of(const std::int32_t* elements, Index count) {
  std::int64_t sum = 0;
  for (Index i = 0; i < count; ++i) sum += elements[i];
  return {static_cast<std::uint64_t>(sum), sum < 0 ? -1 : 0};
}

typename CheckedSum<std::uint32_t>::Value sum_of(const std::uint32_t* elements, Index count) {
  std::uint64_t sum = 0;
  for (Index i = 0; i < count; ++i) sum += elements[i];
  return {sum, 0};
}

typename CheckedSum<std::uint64_t>::Value sum_of(const std::uint64_t* elements, Index count) {
  // Sums the two halves separately, each far from overflow.
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  for (Index i = 0; i < count; ++i) {
    low += elements[i] & 0xFFFFFFFFu;
    high += elements[i] >> 32;
  }
  return CheckedSum<std::uint64_t>().join({high << 32, static_cast<std::int64_t>(high >> 32)},
                                          {low, 0});
}

typename CheckedSum<std::int64_t>::Value sum_of(const std::int64_t* elements, Index count) {
  // Sums the two halves of the numbers plus 2^63 separately, each far from overflow. Vectors of 64
  // bits have no shift that keeps the sign.
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
    // Computes in unsigned 64 bits: narrower types would be promoted to signed for the
    // multiplication.
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
  for (Index begin = 0; begin < count; begin += integer_block) {
    sum = join(sum, sum_of(elements + begin, std::min(integer_block, count - begin)));
  }
  return sum;
}

template <class Integer>
Integer CheckedSum<Integer>::finish(const Value& value) const {
  const std::uint64_t words[] = {value.low, static_cast<std::uint64_t>(value.high)};
  return narrowed<Integer>("sum", words);
}

template <class Integer>
typename CheckedProduct<Integer>::Value CheckedProduct<Integer>::fold(const Integer* elements,
                                                                      Index count, Index /*chunk*/,
                                                                      Index index) const {
  Value product;
  Index i = 0;
  for (; i < count && product.beyond == 0 && product.magnitude != 0; ++i) {
    product = join(product, value(elements[i], index + i));
  }
  if (product.magnitude == 0) return product;
  // The magnitude is too great already. Only a zero or the sign can still change the result.
  Integer signs = 0;
  for (; i < count; i += integer_block) {
    const Index size = std::min(integer_block, count - i);
    Integer zeros = 0;
    for (Index k = i; k < i + size; ++k) {
      zeros |= static_cast<Integer>(elements[k] == 0);
      signs ^= elements[k];
    }
    if (zeros != 0) return {0, 0, 0};
  }
  product.negative ^= is_negative(signs) ? 1u : 0u;
  return product;
}

template <class Integer>
Integer CheckedProduct<Integer>::finish(const Value& value) const {
  using Limits = std::numeric_limits<Integer>;
  const std::uint64_t most = static_cast<std::uint64_t>(Limits::max()) + value.negative;
  if (value.beyond != 0 || value.magnitude > most) {
    refuse<Integer>("product", text(value.beyond != 0 ? "beyond " : "",
                                    value.negative != 0 ? "-" : "", value.magnitude));
  }
  const auto magnitude = value.magnitude;
  return static_cast<Integer>(value.negative != 0 ? -magnitude : magnitude);
}

template <class Integer>
auto CheckedSumOfProducts<Integer>::join(const Value& left, const Value& right) const -> Value {
  Value sum;
  bool carry = false;
  for (int i = 0; i < 3; ++i) {
    std::uint64_t word = 0;
    const bool one = __builtin_add_overflow(left.words[i], right.words[i], &word);
    const bool other = __builtin_add_overflow(word, std::uint64_t{carry}, &sum.words[i]);
    carry = one || other;
  }
  return sum;
}

template <class Integer>
auto CheckedSumOfProducts<Integer>::fold(const WideInteger<Integer>* elements, Index count,
                                         Index /*chunk*/, Index index) const -> Value {
  Value sum;
  for (Index i = 0; i < count; ++i) sum = join(sum, value(elements[i], index + i));
  return sum;
}

template <class Integer>
Integer CheckedSumOfProducts<Integer>::finish(const Value& value) const {
  return narrowed<Integer>("sum of products", value.words);
}

template <class Integer, class Operator>
auto CheckedExtremeOfProducts<Integer, Operator>::join(const Value& left, const Value& right) const
    -> Value {
  const bool right_is_less =
      right.high < left.high || (right.high == left.high && right.low < left.low);
  return right_is_less == std::is_same_v<Operator, Minimum> ? right : left;
}

template <class Integer, class Operator>
auto CheckedExtremeOfProducts<Integer, Operator>::fold(const WideInteger<Integer>* elements,
                                                       Index count, Index /*chunk*/,
                                                       Index index) const -> Value {
  const WideInteger<Integer>* const extreme = std::is_same_v<Operator, Minimum>
                                                  ? std::min_element(elements, elements + count)
                                                  : std::max_element(elements, elements + count);
  return value(*extreme, index);
}

template <class Integer, class Operator>
Integer CheckedExtremeOfProducts<Integer, Operator>::finish(const Value& value) const {
  const std::uint64_t sign = is_negative(value.high) ? ~std::uint64_t{0} : 0;
  const std::uint64_t words[] = {value.low, static_cast<std::uint64_t>(value.high), sign};
  return narrowed<Integer>(std::is_same_v<Operator, Minimum> ? "least product" : "greatest product",
                           words);
}

template struct WrappingReduction<std::int32_t, Sum>;
template struct WrappingReduction<std::int32_t, Product>;
template struct WrappingReduction<std::int32_t, Minimum>;
template struct WrappingReduction<std::int32_t, Maximum>;
template struct CheckedSum<std::int32_t>;
template struct CheckedProduct<std::int32_t>;
template struct CheckedSumOfProducts<std::int32_t>;
template struct CheckedExtremeOfProducts<std::int32_t, Minimum>;
template struct CheckedExtremeOfProducts<std::int32_t, Maximum>;
template struct WrappingReduction<std::int64_t, Sum>;
template struct WrappingReduction<std::int64_t, Product>;
template struct WrappingReduction<std::int64_t, Minimum>;
template struct WrappingReduction<std::int64_t, Maximum>;
template struct CheckedSum<std::int64_t>;
template struct CheckedProduct<std::int64_t>;
template struct CheckedSumOfProducts<std::int64_t>;
template struct CheckedExtremeOfProducts<std::int64_t, Minimum>;
template struct CheckedExtremeOfProducts<std::int64_t, Maximum>;
template struct WrappingReduction<std::uint32_t, Sum>;
template struct WrappingReduction<std::uint32_t, Product>;
template struct WrappingReduction<std::uint32_t, Minimum>;
template struct WrappingReduction<std::uint32_t, Maximum>;
template struct CheckedSum<std::uint32_t>;
template struct CheckedProduct<std::uint32_t>;
template struct CheckedSumOfProducts<std::uint32_t>;
template struct CheckedExtremeOfProducts<std::uint32_t, Minimum>;
template struct CheckedExtremeOfProducts<std::uint32_t, Maximum>;
template struct WrappingReduction<std::uint64_t, Sum>;
template struct WrappingReduction<std::uint64_t, Product>;
template struct WrappingReduction<std::uint64_t, Minimum>;
template struct WrappingReduction<std::uint64_t, Maximum>;
template struct CheckedSum<std::uint64_t>;
template struct CheckedProduct<std::uint64_t>;
template struct CheckedSumOfProducts<std::uint64_t>;
template struct CheckedExtremeOfProducts<std::uint64_t, Minimum>;
template struct CheckedExtremeOfProducts<std::uint64_t, Maximum>;

}  // namespace bracket::runtime
