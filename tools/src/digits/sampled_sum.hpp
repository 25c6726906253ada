// SPDX-License-Identifier: MIT

#pragma once

#include <optional>
#include <span>

#include "bracket/model/algorithm.hpp"
#include "bracket/model/element.hpp"
#include "bracket/model/range.hpp"

namespace bracket::tools {

/// Three samples of a sum, each a number of the type.
struct SampledSum {
  double samples[3] = {0, 0, 0};
  /// Additions that lose at least four digits; absent for sums without a single rounding for each.
  std::optional<Index> cancellations{};
};

/// Computes the sum of `elements` ≥ 1 three times by an algorithm with random rounding:
///
/// - plain arithmetic: each addition is rounded up or down,
/// - double-double: so is each of the ten additions of a sum of two double-doubles, and the result
///   (Graillat, Jézéquel and Picot, "Numerical validation of compensated algorithms with stochastic
///   arithmetic", 2018),
/// - stochastic: the samples are those of the sum itself, rounded up or down to the type,
/// - binned: so are the elements, to units of the lowest bin, and the result.
///
/// `type` is float64 or float32. The samples are the same on every machine.
SampledSum sampled_sum(std::span<const double> elements, Type type, const Algorithm& algorithm);

/// Computes the sum by an algorithm, with the bits of `bracket run`.
double sum_by(std::span<const double> elements, Type type, const Algorithm& algorithm);

}  // namespace bracket::tools
