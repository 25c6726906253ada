#pragma once

#include <cstdint>

#include "bracket/model/range.hpp"

namespace bracket {

struct Kernel;

/// The values of a binned sum lie in bins of 40 binary places: bin j is of the magnitudes from
/// 2^(40 j) to below 2^(40 (j + 1)) and counts in the unit 2^(40 j + 1). The unit is twice the
/// lower edge so that what lies below a bin rounds to zero in it.
struct Bins {
  enum : int {
    width = 40,
    lowest = -27,  ///< the bin of the least subnormal
    highest = 25,  ///< the bin of the largest finite number
    most = 8       ///< as many bins as a sum can have
  };
};

/// A binned sum under way, as it travels: the K bins from that of the largest magnitude down, and
/// how often each element's units of each bin were seen. Its bytes depend on the multiset of
/// elements alone. Made from nothing it is the sum of nothing.
template <int K>
struct Binned {
  static_assert(1 <= K && K <= Bins::most);

  /// An integer of 128 bits, two's complement: room for 2^63 elements of 2^39 units each.
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
  std::uint32_t seen = 0;           ///< what the elements were: bits of the enumeration above

  friend bool operator==(const Binned& left, const Binned& right) = default;
};

/// The reproducible sum of float64 with K bins: the same bits for the same elements in any
/// sequence, grouping and distribution. Demmel and Nguyen's 1-Reduction with W = 40 ("Numerical
/// Reproducibility and Accuracy at ExaScale", 2013), with integers for their accumulators.
///
/// If the largest magnitude lies in bin J, each element is rounded to a multiple of
/// u = 2^(40 (J − K + 1) + 1), the result is the double nearest to the exact sum of those; both to
/// nearest, ties to even. Its error is at most N u / 2 ≤ N · 2^(40 (1 − K)) · max|x| and half an
/// ulp of the result. Nothing overflows on the way. NaN of a NaN or of both infinities, which is
/// `canonical`; −0 if all elements are −0; +0 of no elements.
///
/// An operation as in `Executor`.
template <int K>
struct BinnedSum {
  using Element = double;
  using Value = Binned<K>;
  using Result = double;
  static constexpr bool associative = true;

  const Kernel* kernel = nullptr;

  /// Selects the kernel that `select_kernel` takes, if none is given; throws as it does.
  void prepare();
  /// The sum of one element. The global index is unused, as it is in `fold`.
  [[nodiscard]] Value value(const Element& element, Index index) const;
  /// The sum of `count` ≥ 1 elements; `prepare` must have been called, or a kernel given.
  [[nodiscard]] Value fold(const Element* elements, Index count, Index chunk, Index index) const;
  [[nodiscard]] Value join(const Value& left, const Value& right) const;
  [[nodiscard]] Result finish(const Value& value) const;
  /// The same rounded to odd: of the two doubles next to a sum that is none, the one whose last bit
  /// is 1. What is rounded from that to fewer digits is rounded once.
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

}  // namespace bracket
