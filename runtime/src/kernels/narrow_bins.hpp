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

/// Binned sums of elements whose magnitudes lie in a narrow range. The sums are those of
/// `BinnedFold`, which explains t and C. Besides the load, a vector takes seven or nine
/// instructions, where `BinnedFold` takes 4 K.
///
/// An element of at least 2^x is a multiple of 2^(x - 52). If the first bin begins at 2^e, there
/// are two ranges:
///
/// - high: from 2^(e + 13) to below 2^(e + 40), the end of the first bin. Elements are multiples of
///   the second bin's unit.
/// - low: from 2^(e - 27) to below 2^(e + 12). Elements are multiples of the third bin's unit. They
///   are less than 2^51 of the second bin's units, and can be rounded to these at once. That gives
///   the units of the first two bins together. Rounding to the first bin's unit gives its own.
///
/// The second bin (high) or the third (low) needs no rounding: it takes the remainder of an element
/// as it is, and nothing is left for lower bins. The remainders are summed as float64, which is
/// exact for the elements of one call.
template <class Isa, class Source>
class NarrowBins {
  using V = SimdVectors<double, Isa, Sum>;

 public:
  using Vector = typename V::Vector;
  using Bits = typename SimdVectors<std::uint64_t, Isa, Sum>::Vector;

  /// Portable vectors have no maximum of unsigned integers, and without it these sums are no
  /// faster. The error of an exact product is too small for the ranges.
  static constexpr bool pays = Isa::bytes > 16 && Source::parts == 1;
  static constexpr int width = Bins::width;

  /// Limit on the vectors of a call. A remainder is at most 2^(width - 1) units, and a sum of
  /// remainders must stay within 2^51 units, since adding C rounds it in the end.
  static constexpr Index most = Index{1} << (52 - width);

  /// Adds vectors to the sums of t's bits, of `count` >= 3 bins from `top` down. Chooses the range
  /// by `sample`, the least and the greatest field of the first elements. Stops before the first
  /// `part` that has an element out of it. Returns how many vectors it added.
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
  using Floats = typename SimdVectors<float, Isa, Sum>::Vector;
  using Integers = SimdVectors<std::int64_t, Isa, Maximum>;

  static constexpr Index lanes = V::lanes;
  static constexpr int digits = 53;  ///< of a float64
  static constexpr int bias = 1023;  ///< of its exponent field

  /// Vectors that are added together or not at all.
  static constexpr Index part = 64;

  /// Magnitudes from 2^least to below 2^end.
  struct Range {
    int least;
    int end;

    /// Whether the elements behind the sample are probably in the range, too. The least of them is
    /// mostly less than that of the sample, and must be in the range.
    [[gnu::always_inline]] bool suits(ExponentFields sample) const {
      constexpr int margin = 6;
      return sample.least >= bias + least + margin && sample.greatest < bias + end;
    }
  };

  /// Sums of a call.
  template <bool is_high>
  struct Sums {
    Bits first{};   ///< of t's bits, for the first bin
    Bits second{};  ///< of t's bits, for the first two bins together; not for high elements
    Vector remainders[2]{};  ///< two, because each addition waits for the one before
    Halves farthest{};       ///< largest difference of `twice` from that of `least`

    [[gnu::always_inline]] void add_two(Source x, const Vector* constants, Halves least,
                                        Vector one) {
      // Once for each cache line.
      x.prefetch(bins::prefetched);
      if constexpr (Isa::bytes == 64) (x + lanes).prefetch(bins::prefetched);
      const Vector left = x.vector();
      const Vector right = (x + lanes).vector();
      look_at(left, right, least);
      add(left, constants, one, 0);
      add(right, constants, one, 1);
    }

    [[gnu::always_inline]] void add_one(Source x, const Vector* constants, Halves least,
                                        Vector one) {
      const Vector element = x.vector();
      look_at(element, element, least);
      add(element, constants, one, 0);
    }

   private:
    [[gnu::always_inline]] void look_at(Vector left, Vector right, Halves least) {
      const Halves distance = twice(left, right) - least;
      farthest = distance > farthest ? distance : farthest;
    }

    [[gnu::always_inline]] void add(Vector element, const Vector* constants, Vector one, int turn) {
      Vector t = element + constants[0];
      first += Bits(t);
      if constexpr (!is_high) {
        t = element + constants[1];
        second += Bits(t);
      }
      // `BinnedFold::add_vector` says why these multiply.
      const auto rounded = Vector(Isa::minus(t, constants[is_high ? 0 : 1], one));
      remainders[turn] += Vector(Isa::minus(element, rounded, one));
    }
  };

  /// Twice the upper halves of both vectors' bits, which takes the sign away. Looking at two
  /// vectors together takes four instructions. One by one, it takes three for each.
  ///
  /// The difference from that of `least`, as an unsigned integer, is below a limit just for the
  /// magnitudes of a range. Below the range it wraps around, and above it are infinities and NaN,
  /// too. Squares in place of this may overflow, and some programs trap that.
  [[gnu::always_inline]] static Halves twice(Vector left, Vector right) {
    const Halves upper = upper_halves(Floats(left), Floats(right), every_half);
    return upper + upper;
  }

  static constexpr std::make_integer_sequence<int, static_cast<int>(2 * lanes)> every_half{};

  /// The upper halves of the lanes of both vectors. Each 128 bits of the result are from the same
  /// 128 bits of both. They are shuffled as floats, because GCC 12 takes more instructions to
  /// shuffle integers.
  template <int... half>
  [[gnu::always_inline]] static Halves upper_halves(Floats left, Floats right,
                                                    std::integer_sequence<int, half...>) {
    constexpr int of_right = static_cast<int>(2 * lanes);
    return Halves(__builtin_shufflevector(
        left, right, ((half & ~3) + 2 * (half & 1) + 1 + (half & 2 ? of_right : 0))...));
  }

  /// The largest of the differences. They are compared in signed lanes of 64 bits, because
  /// `Maximum` negates its operands.
  [[gnu::always_inline]] static std::int64_t largest(Halves differences) {
    const auto upper = typename Integers::Vector(Bits(differences) >> 32);
    const auto lower = typename Integers::Vector(Bits(differences) & 0xFFFFFFFF);
    return Integers::template finish<0>(upper > lower ? upper : lower);
  }

  template <bool is_high>
  [[gnu::always_inline]] static Index add(Range range, const Vector* constants, Bits* sums,
                                          int count, Source x, Index vectors) {
    const Vector used[] = {constants[0], constants[1]};  // in registers
    const auto least_bits = static_cast<std::uint64_t>(bias + range.least) << 52;
    const Vector least_of_range = Vector(Bits{} + least_bits);
    const Halves least = twice(least_of_range, least_of_range);
    // Limit of the differences.
    const auto end = std::int64_t{range.end - range.least} << 21;
    Vector one = Vector{} + 1;
    Isa::keep(one);  // or the compiler would not multiply
    Sums<is_high> added;
    Index done = 0;
    while (done < vectors) {
      const Index next = vectors - done < part ? vectors - done : part;
      Sums<is_high> more = added;
#pragma GCC unroll 4
      for (Index i = 0; i + 1 < next; i += 2) {
        more.add_two(x + i * lanes, used, least, one);
      }
      if (next % 2 != 0) more.add_one(x + (next - 1) * lanes, used, least, one);
      if (largest(more.farthest) >= end) break;
      added = more;
      done += next;
      x = x + next * lanes;
    }

    const auto times = static_cast<std::uint64_t>(done);
    constexpr int last = is_high ? 1 : 2;
    sums[0] += added.first;
    if constexpr (!is_high) {
      sums[1] += added.second - ((added.first - times * Bits(used[0])) << width);
    }
    const Vector constant = constants[last];
    sums[last] += Bits(added.remainders[0] + added.remainders[1] + constant) - Bits(constant);
    for (int k = last; k < count; ++k) sums[k] += times * Bits(constants[k]);
    return done;
  }
};

}  // namespace bracket::runtime::kernel_folds
