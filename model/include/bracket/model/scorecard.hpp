// SPDX-License-Identifier: MIT

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace bracket {

/// A measured time and its prediction, in seconds. Measured times are above 0.
struct JudgedRow {
  double predicted = 0;
  double measured = 0;
  double low = 0;  ///< interval of the measured time
  double high = 0;
};

/// How good a model's predictions are.
struct Scorecard {
  std::size_t rows = 0;
  double median_error = 0;  ///< of |predicted / measured − 1| over all rows
  double p90_error = 0;     ///< 90th percentile of the same
  std::size_t choices = 0;  ///< groups of more than one row
  /// Share of these groups in which the row with the lowest prediction was measured within a tenth
  /// of the fastest row. Empty without such a group.
  std::optional<double> winner_accuracy;
  std::size_t pairs = 0;  ///< pairs of rows of one group whose intervals do not overlap
  /// Share of these pairs that are predicted in their measured order. Empty without a pair.
  std::optional<double> pair_accuracy;
  /// Kendall's τ over these pairs: (pairs in the right order − pairs in the wrong order) / pairs. A
  /// pair of equal predictions counts as neither.
  std::optional<double> kendall_tau;
};

/// Judges a model by groups of rows. The rows of a group are the same reduction by different plans
/// and distributions, among which a user chooses. Throws `Error` without a row, for a negative
/// prediction, for a measured time that is not above 0, and if one of the two is not finite.
Scorecard judge(std::span<const std::vector<JudgedRow>> groups);

}  // namespace bracket
