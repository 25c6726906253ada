// SPDX-License-Identifier: MIT

#include "bracket/runtime/binned.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "bracket/runtime/kernel.hpp"
#include "kernels/bins.hpp"

namespace bracket::runtime {

namespace {

static_assert(sizeof(Binned<3>) == 56, "no padding: the bytes travel");
static_assert(std::is_trivially_copyable_v<Binned<3>>);

/// Rounds to the nearest value, ties to even; or, between two adjacent values, to the odd one.
enum class Rounding { to_nearest, to_odd };

/// An integer, lowest word first, with room for a digit shifted by K - 1 bins.
template <int K>
class Integer {
 public:
  /// Multiplies by 2^`width` and adds `digit`.
  template <class Digit>
  void append(const Digit& digit, int width) {
    for (std::size_t i = words_.size() - 1; i > 0; --i) {
      words_[i] = words_[i] << width | words_[i - 1] >> (64 - width);
    }
    words_[0] <<= width;
    const std::uint64_t sign = digit.high >> 63 != 0 ? ~std::uint64_t{0} : 0;
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const std::uint64_t added = i == 0 ? digit.low : i == 1 ? digit.high : sign;
      const std::uint64_t partial = words_[i] + added;
      words_[i] = partial + carry;
      carry = (partial < added ? 1 : 0) | (words_[i] < carry ? 1 : 0);
    }
  }

  [[nodiscard]] bool negative() const { return words_.back() >> 63 != 0; }

  void negate() {
    std::uint64_t carry = 1;
    for (auto& word : words_) {
      word = ~word + carry;
      carry = carry != 0 && word == 0 ? 1 : 0;
    }
  }

  /// Number of bits of the value, which must not be negative.
  [[nodiscard]] int length() const {
    for (std::size_t i = words_.size(); i-- > 0;) {
      if (words_[i] != 0) return static_cast<int>(64 * i) + std::bit_width(words_[i]);
    }
    return 0;
  }

  /// The value divided by 2^`shift`, `shift` ≥ 1, rounded. The quotient must fit 64 bits.
  [[nodiscard]] std::uint64_t rounded_quotient(int shift, Rounding rounding) const {
    const std::uint64_t quotient = from(shift);
    const int half = shift - 1;
    const bool from_half = (from(half) & 1) != 0;
    const auto word = static_cast<std::size_t>(half / 64);
    bool below_half = words_[word] << (63 - half % 64) << 1 != 0;
    for (std::size_t i = 0; i < word; ++i) below_half = below_half || words_[i] != 0;
    if (rounding == Rounding::to_odd) return quotient | (from_half || below_half ? 1 : 0);
    const bool up = from_half && (below_half || (quotient & 1) != 0);
    return quotient + (up ? 1 : 0);
  }

  [[nodiscard]] std::uint64_t low() const { return words_[0]; }

 private:
  /// The 64 bits from bit `place` on.
  [[nodiscard]] std::uint64_t from(int place) const {
    const auto i = static_cast<std::size_t>(place / 64);
    const int offset = place % 64;
    const std::uint64_t above = i + 1 < words_.size() ? words_[i + 1] : 0;
    return words_[i] >> offset | above << (63 - offset) << 1;
  }

  std::array<std::uint64_t, ((K - 1) * Bins::most_width + 128 + 63) / 64> words_{};
};

/// `value` · 2^`exponent`, which is a double or too large for one. `value` is 0 or from 1 to 2^53,
/// and unless it is 0, -2044 ≤ `exponent` ≤ 2046. Takes less time than std::ldexp.
double times_power(double value, int exponent) {
  if (value == 0) return 0;
  const auto power = [](int of_two) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(of_two + 1023) << 52);
  };
  const int half = exponent / 2;
  return value * power(half) * power(exponent - half);
}

/// `value` · 2^`exponent`, rounded to a double. `value` must not be negative. A sum among the
/// subnormal numbers is a multiple of the smallest one, as all elements are: it needs no rounding.
template <int K>
double rounded(const Integer<K>& value, int exponent, Rounding rounding) {
  const int shift = value.length() - std::numeric_limits<double>::digits;
  // Both are exact: the integer fits, and so does the result, up to the largest double.
  if (shift <= 0) return times_power(static_cast<double>(value.low()), exponent);
  return times_power(static_cast<double>(value.rounded_quotient(shift, rounding)),
                     exponent + shift);
}

template <int K>
double finished(const Binned<K>& value, int width, Rounding rounding) {
  using Value = Binned<K>;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const bool positive_infinity = (value.seen & Value::positive_infinity) != 0;
  const bool negative_infinity = (value.seen & Value::negative_infinity) != 0;
  if ((value.seen & Value::nan) != 0 || (positive_infinity && negative_infinity)) {
    return canonical(std::numeric_limits<double>::quiet_NaN());
  }
  if (positive_infinity) return infinity;
  if (negative_infinity) return -infinity;
  if (value.seen == Value::anything) return -0.0;

  Integer<K> sum;
  for (const auto& digit : value.digits) sum.append(digit, width);
  const bool negative = sum.negative();
  if (negative) sum.negate();
  const double magnitude = rounded(sum, bins::unit_exponent(value.top - K + 1, width), rounding);
  return negative ? -magnitude : magnitude;
}

}  // namespace

template <int K>
void BinnedSum<K>::prepare() {
  if (kernel == nullptr) kernel = &select_kernel();
}

template <int K>
Binned<K> BinnedSum<K>::value(const double& element, Index) const {
  Value sum{};
  bins::add(sum, element, width);
  return sum;
}

template <int K>
Binned<K> BinnedSum<K>::fold(const double* elements, Index count, Index, Index) const {
  return kernel->binned.of<K>()(elements, count, width);
}

template <int K>
Binned<K> BinnedSum<K>::fold_products(const double* elements, const double* factors, Index count,
                                      Index) const {
  const auto& folds = kernel->binned;
  return (exact_products ? folds.of_exact_products<K>() : folds.of_products<K>())(elements, factors,
                                                                                  count, width);
}

template <int K>
Binned<K> BinnedSum<K>::join(const Value& left, const Value& right) const {
  Value sum = left;
  bins::add(sum, right);
  return sum;
}

template <int K>
double BinnedSum<K>::finish(const Value& value) const {
  return finished(value, width, Rounding::to_nearest);
}

template <int K>
double BinnedSum<K>::finish_to_odd(const Value& value) const {
  return finished(value, width, Rounding::to_odd);
}

template struct BinnedSum<1>;
template struct BinnedSum<2>;
template struct BinnedSum<3>;
template struct BinnedSum<4>;
template struct BinnedSum<5>;
template struct BinnedSum<6>;
template struct BinnedSum<7>;
template struct BinnedSum<8>;

}  // namespace bracket::runtime
