// SPDX-License-Identifier: MIT

#pragma once

#include <cstdint>

#include "bracket/model/algorithm.hpp"
#include "bracket/model/range.hpp"

namespace bracket::runtime {

struct Kernel;

/// Bins of W binary places, which hold the values of a binned sum. Bin j holds magnitudes from
/// 2^(W j) to below 2^(W (j + 1)) and counts in the unit 2^(W j + 1). The unit is twice the lower
/// edge, so that values below a bin round to zero in it.
struct Bins {
  enum : int {
    width = row_of(Arithmetic::binned).usual_width,
    least_width = row_of(Arithmetic::binned).least_width,
    most_width = row_of(Arithmetic::binned).most_width,
    lowest = -1 - 1074 / least_width,  ///< no number has a lower bin, whatever the width
    most = row_of(Arithmetic::binned).most
  };
  // Elements have up to 2^(W - 1) units; kernels round them by adding 1.5 * 2^52 units.
  static_assert(most_width <= 51);
};

/// A partial binned sum, as messages carry it: the number of units in each of the K bins, from the
/// bin of the largest magnitude down. Its bytes depend on the multiset of elements alone. A
/// default-constructed value is the sum of no elements.
template <int K>
struct Binned {
  static_assert(1 <= K && K <= Bins::most);

  /// An integer of 128 bits, two's complement: room for 2^63 elements of 2^(W - 1) units each.
  struct Digit {
    std::uint64_t low = 0;
    std::uint64_t high = 0;

    friend bool operator==(const Digit& left, const Digit& right) = default;
  };
  enum : std::uint32_t {
    anything = 1,
    other_than_negative_zero = 2,
    nan = 4,
    positive_infinity = 8,
    negative_infinity = 16
  };

  Digit digits[K];                  ///< of bins `top`, `top` − 1, …, in their units
  std::int32_t top = Bins::lowest;  ///< the bin of the largest finite magnitude
  std::uint32_t seen = 0;           ///< kinds of elements: bits of the enumeration above

  friend bool operator==(const Binned& left, const Binned& right) = default;
};

/// The reproducible sum of float64 with K bins: the same bits for the same elements in any
/// sequence, grouping and distribution. Demmel and Nguyen's 1-Reduction, which has W = 40
/// ("Numerical Reproducibility and Accuracy at ExaScale", 2013), with integers in place of their
/// accumulators.
///
/// If the largest magnitude lies in bin J, each element is rounded to a multiple of
/// u = 2^(W (J − K + 1) + 1), and the result is the double nearest to the exact sum of these. Both
/// round to nearest, ties to even. The error is at most N u / 2 ≤ N · 2^(W (1 − K)) · max|x| plus
/// half an ulp of the result. Partial sums do not overflow. The result is the `canonical` NaN for a
/// NaN or infinities of both signs, −0 if all elements are −0, and +0 for no elements.
///
/// It is an operation (see reductions.hpp).
template <int K>
struct BinnedSum {
  using Element = double;
  using Value = Binned<K>;
  using Result = double;
  static constexpr bool associative = true;

  const Kernel* kernel = nullptr;
  int width = Bins::width;      ///< W
  bool exact_products = false;  ///< products are not rounded before they are added

  /// Takes the kernel of `select_kernel` if none is given, and throws as `select_kernel` does.
  void prepare();
  /// The sum of one element. The global index is unused, as it is in `fold`.
  [[nodiscard]] Value value(const Element& element, Index index) const;
  /// The sum of `count` ≥ 1 elements; `prepare` must have been called, or a kernel given.
  [[nodiscard]] Value fold(const Element* elements, Index count, Index chunk, Index index) const;
  /// The sum of products of elements and factors, each rounded once unless they are exact. The
  /// largest magnitude and N are then those of the rounded products and their errors.
  [[nodiscard]] Value fold_products(const Element* elements, const Element* factors, Index count,
                                    Index chunk) const;
  [[nodiscard]] Value join(const Value& left, const Value& right) const;
  [[nodiscard]] Result finish(const Value& value) const;
  /// The sum rounded to odd: if it is not a double, the neighbouring double whose last bit is 1.
  /// Rounding that to fewer digits gives the sum rounded only once.
  [[nodiscard]] Result finish_to_odd(const Value& value) const;
};

extern template struct BinnedSum<1>;
extern template struct BinnedSum<2>;
extern template struct BinnedSum<3>;
extern template struct BinnedSum<4>;
extern template struct BinnedSum<5>;
extern template struct BinnedSum<6>;
extern template struct BinnedSum<7>;
extern template struct BinnedSum<8>;

}  // namespace bracket::runtime
