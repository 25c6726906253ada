// SPDX-License-Identifier: MIT

#pragma once

#include "kernels/bins.hpp"
#include "kernels/simd_vectors.hpp"

// Included by files that are compiled for one instruction set each; see simd_vectors.hpp.

namespace bracket::runtime::kernel_folds {

/// The least and the greatest exponent field of some elements.
struct ExponentFields {
  int least;
  int greatest;
};

/// Binned sums of elements whose magnitudes lie in a narrow range: the same numbers of units as in
/// `BinnedFold` (see there), by nine or seven instructions for a vector in place of twelve.
///
/// An element has 53 digits. If the lower edge of the first bin is 2^e, there are two such ranges:
///
/// - high: from 2^(e + 13) on. Elements are multiples of the second bin's unit.
/// - low: from 2^(e - 27) to below 2^(e + 12). Elements are multiples of the third bin's unit, and
///   small enough to be rounded to the second bin's unit at once. That gives the units of the first
///   two bins together. Elements are also rounded to the first bin's unit, to tell these apart.
///
/// What is left of an element after that needs no rounding. It is summed as float64: for as many
/// elements as a call may have, these sums are exact.
template <class Isa, class Source>
class NarrowBins {
  using V = SimdVectors<double, Isa, Sum>;

 public:
  using Vector = typename V::Vector;
  using Bits = typename SimdVectors<std::uint64_t, Isa, Sum>::Vector;

  /// Without a multiply-add and a maximum of integers without sign, this is no faster.
  static constexpr bool pays = Isa::bytes > 16 && Source::parts == 1;
  static constexpr int width = Bins::width;

  /// Limit on the vectors of a call: a sum has up to 2^(width - 1) units from each, and 2^51 fit.
  static constexpr Index most = Index{1} << (52 - width);

  /// Adds elements to the sums of t's bits of `count` >= 3 bins from `top` down, as long as they
  /// are in the range that the first ones' fields `sample` suggest. Returns how many vectors it
  /// added.
  [[gnu::noinline]] static Index add(const Vector* constants, Bits* sums, int count, int top,
                                     ExponentFields sample, Source x, Index vectors) {
    const Range high{bins::unit_exponent(top - 1, width) + digits - 1, width * (top + 1)};
    if (high.suits(sample)) return add<true>(high, constants, sums, count, x, vectors);
    const Range low{bins::unit_exponent(top - 2, width) + digits - 1,
                    bins::unit_exponent(top - 1, width) + 51};
    if (low.suits(sample)) return add<false>(low, constants, sums, count, x, vectors);
    return 0;
  }

 private:
  using Halves = typename SimdVectors<std::uint32_t, Isa, Sum>::Vector;
  using Fields = SimdVectors<std::int64_t, Isa, Maximum>;

  static constexpr Index lanes = V::lanes;
  static constexpr int digits = 53;  ///< of a float64
  static constexpr int bias = 1023;  ///< of its exponent field

  /// Vectors that are added together or not at all.
  static constexpr Index part = 64;

  /// Magnitudes from 2^least to below 2^end.
  struct Range {
    int least;
    int end;

    /// Whether the other elements, of which some may be smaller, are probably in the range too. The
    /// squares of its edges must be normal numbers.
    [[gnu::always_inline]] bool suits(ExponentFields sample) const {
      constexpr int margin = 6;
      return sample.least >= bias + least + margin && sample.greatest < bias + end &&
             2 * least > -bias && 2 * end <= bias;
    }
  };

  /// Sums of a call.
  template <bool is_high>
  struct Sums {
    Bits first{};       ///< of t's bits, rounded to the first bin's unit
    Bits second{};      ///< the same for the second bin's; not used for the high range
    Vector rests[2]{};  ///< of what is left of elements; two, since an addition waits for the last
    Halves largest{};   ///< of the squares less that of the least magnitude: upper halves

    [[gnu::always_inline]] void add(Source x, const Vector* constants, Vector least, Vector one,
                                    int turn) {
      if (turn * Isa::bytes % 64 == 0) x.prefetch(prefetched);  // once for each cache line
      const Vector element = x.vector();
      // Negative for elements below the range. As an integer without sign, it is then greater than
      // those of all elements in the range, as it is for elements above, infinities and NaN.
      const Halves square = Halves(Vector(Isa::error(element, element, least)));
      largest = square > largest ? square : largest;
      Vector t = element + constants[0];
      first += Bits(t);
      if constexpr (!is_high) {
        t = element + constants[1];
        second += Bits(t);
      }
      rests[turn] += element - Vector(Isa::minus(t, constants[is_high ? 0 : 1], one));
    }
  };

  template <bool is_high>
  [[gnu::always_inline]] static Index add(Range range, const Vector* constants, Bits* sums,
                                          int count, Source x, Index vectors) {
    const Vector used[] = {constants[0], constants[1]};  // in registers
    const auto square = static_cast<std::uint64_t>(bias + 2 * range.least) << 52;
    const Vector least = Vector(Bits{} + square);
    Vector one = Vector{} + 1;
    Isa::keep(one);  // or the compiler would not multiply
    Sums<is_high> added;
    Index done = 0;
    while (done < vectors) {
      const Index next = vectors - done < part ? vectors - done : part;
      Sums<is_high> more = added;
#pragma GCC unroll 4
      for (Index i = 0; i + 1 < next; i += 2) {
        more.add(x + i * lanes, used, least, one, 0);
        more.add(x + (i + 1) * lanes, used, least, one, 1);
      }
      if (next % 2 != 0) more.add(x + (next - 1) * lanes, used, least, one, 0);
      const auto fields = typename Fields::Vector(Bits(more.largest) >> 52);
      if (Fields::template finish<0>(fields) >= bias + 2 * range.end) break;
      added = more;
      done += next;
      x = x + next * lanes;
    }

    const auto times = static_cast<std::uint64_t>(done);
    constexpr int last = is_high ? 1 : 2;
    sums[0] += added.first;
    if constexpr (!is_high)
      sums[1] += added.second - ((added.first - times * Bits(used[0])) << width);
    const Vector constant = constants[last];
    sums[last] += Bits(added.rests[0] + added.rests[1] + constant) - Bits(constant);
    for (int k = last; k < count; ++k) sums[k] += times * Bits(constants[k]);
    return done;
  }
};

}  // namespace bracket::runtime::kernel_folds
