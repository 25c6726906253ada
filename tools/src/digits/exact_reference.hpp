// SPDX-License-Identifier: MIT

#pragma once

#include <optional>
#include <span>

#include "bracket/model/element.hpp"
#include "bracket/model/range.hpp"
#include "bracket/support/exact_sum.hpp"

namespace bracket::tools {

/// The exact sum of elements, and how far a computed sum is from it.
class ExactReference {
 public:
  /// `type` is float64 or float32, whose numbers the elements are.
  ExactReference(std::span<const double> elements, Type type);

  [[nodiscard]] Type type() const { return type_; }
  [[nodiscard]] Index elements() const { return elements_; }

  /// The exact sum, rounded to the nearest number of the type.
  [[nodiscard]] double sum() const { return sum_; }

  /// Whether all elements and `sum` are finite. The errors, digits and bounds of a sum require it.
  [[nodiscard]] bool finite() const;

  /// The first element that is not finite.
  [[nodiscard]] std::optional<Index> first_special() const { return first_special_; }

  /// Condition number Σ|x| / |Σx| of the sum: the factor by which relative errors of the elements
  /// can grow. An infinity if the sum is 0 and the elements are not.
  [[nodiscard]] double condition() const;

  /// Distance of a computed sum from the exact sum before it is rounded, in units of the last place
  /// of `sum()`. A sum that is rounded correctly is off by up to 0.5.
  [[nodiscard]] double ulps(double computed) const;

  /// Number of decimal digits that a computed sum has in common with the exact sum: the negative
  /// logarithm of the relative error, from 0 to `most_digits`.
  [[nodiscard]] double digits(double computed) const;

  /// Decimal digits of a number of the type, such as 15.95 for 53 bits.
  [[nodiscard]] double most_digits() const;

  /// Unit roundoff u of the type.
  [[nodiscard]] double roundoff() const;

  /// The sum of magnitudes, Σ|x|, and the largest one.
  [[nodiscard]] support::Scaled magnitudes() const { return magnitudes_.scaled(); }
  [[nodiscard]] double largest() const { return largest_; }

  /// Distance between a number of the type and the next one away from 0.
  [[nodiscard]] support::Scaled last_place(double number) const;

 private:
  [[nodiscard]] support::Scaled error(double computed) const;

  Type type_;
  Index elements_;
  support::ExactSum exact_{};
  support::ExactSum magnitudes_{};
  double sum_ = 0;
  double largest_ = 0;
  std::optional<Index> first_special_{};
};

}  // namespace bracket::tools
