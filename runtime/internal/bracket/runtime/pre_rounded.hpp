// SPDX-License-Identifier: MIT

#pragma once

#include <cstdint>
#include <memory>

#include "bracket/model/algorithm.hpp"
#include "bracket/model/range.hpp"

namespace bracket::runtime {

struct Kernel;

/// Levels of multiples to which terms are rounded before they are added: Demmel and Nguyen's
/// Reproducible Sum with a largest magnitude that is known ("Fast Reproducible Floating-Point
/// Summation", 2013).
///
/// Let 2^(E-1) <= max|x| < 2^E, and L = max(2, ceil(log2 N)) for N <= 2^52 terms. Level 1 rounds
/// each term to a multiple of u_1 = 2^(E + L - 53), and level k + 1 the rest, of at most u_k / 2,
/// to a multiple of u_(k+1) = 2^(L - 54) u_k; no unit is below the least subnormal. Rounding is to
/// nearest, ties to even: 1.5 * 2^52 u is added and subtracted again. The N multiples of a level
/// are at most 2^(53 - L) units each, so all of their partial sums are exact, in any sequence.
struct PreRounding {
  enum : int { most = row_of(Arithmetic::pre_rounded).most };
  static constexpr Index most_terms = Index{1} << 52;

  enum class Kind : std::uint8_t {
    zeros,      ///< all terms are zero
    numbers,    ///< the largest magnitude is a number other than zero
    not_finite  ///< there is an infinity or a NaN
  };

  Kind kind = Kind::zeros;
  int levels = 0;
  int exponent = 0;             ///< terms are divided by 2^exponent, so that nothing overflows
  double scale = 1;             ///< 2^-exponent
  double constants[most] = {};  ///< 1.5 * 2^52 units of each level, divided by 2^exponent

  /// The rounding of so many terms, the largest of this magnitude. Throws `Error` for more than
  /// `most_terms`.
  static PreRounding of(double largest, Index terms, int levels);
};

/// The sums of K levels, as messages carry them.
template <int K>
struct Levels {
  double sums[K];
};

/// The sum of float64 by levels. If there are infinities or NaNs, it is the sum of these. Otherwise
/// the error is at most N u_K / 2 <= 2 N 2^(-K (54 - L)) max|x| and the rounding errors of the last
/// K - 1 additions, from the last level to the first.
///
/// It is an operation (see reductions.hpp).
template <int K>
struct PreRoundedSum {
  using Element = double;
  using Value = Levels<K>;
  using Result = double;
  static constexpr bool associative = true;

  const Kernel* kernel = nullptr;
  /// The rounding of the current run. Copies of the operation share it.
  std::shared_ptr<PreRounding> rounding = std::make_shared<PreRounding>();

  /// Takes the kernel of `select_kernel` if none is given. Until `set_magnitude`, terms are as of a
  /// million of at most 1, for measurements of time.
  void prepare();
  /// Sets the largest magnitude of all terms, and their number.
  void set_magnitude(double largest, Index terms) const;

  [[nodiscard]] Value value(const Element& element, Index index) const;
  [[nodiscard]] Value fold(const Element* elements, Index count, Index chunk, Index index) const;
  [[nodiscard]] Value join(const Value& left, const Value& right) const;
  [[nodiscard]] Result finish(const Value& value) const;
  [[nodiscard]] Result finish_to_odd(const Value& value) const;
};

extern template struct PreRoundedSum<1>;
extern template struct PreRoundedSum<2>;
extern template struct PreRoundedSum<3>;
extern template struct PreRoundedSum<4>;

/// The largest magnitude of float64: NaN if there is one. A partial has the bits of a magnitude,
/// whose sequence as integers is that of the numbers, with NaNs above infinities.
struct LargestMagnitude {
  using Element = double;
  using Value = std::uint64_t;
  using Result = double;
  static constexpr bool associative = true;

  const Kernel* kernel = nullptr;

  void prepare();
  [[nodiscard]] Value value(const Element& element, Index index) const;
  [[nodiscard]] Value fold(const Element* elements, Index count, Index chunk, Index index) const;
  [[nodiscard]] Value join(const Value& left, const Value& right) const;
  [[nodiscard]] Result finish(const Value& value) const;
};

}  // namespace bracket::runtime
