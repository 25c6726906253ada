#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace bracket {

/// A row that a model has predicted. Seconds; what was measured is above 0.
struct JudgedRow {
  double predicted = 0;
  double measured = 0;
  double low = 0;  ///< interval of what was measured
  double high = 0;
};

/// How good a model's predictions are.
struct Scorecard {
  std::size_t rows = 0;
  double median_error = 0;  ///< of |predicted / measured − 1| over all rows
  double p90_error = 0;     ///< least that nine rows of ten are not above
  std::size_t choices = 0;  ///< groups of more than one row
  /// Share of these groups in which the row of the least prediction is measured within a tenth of
  /// the fastest row; nothing without a choice.
  std::optional<double> winner_accuracy;
  std::size_t pairs = 0;  ///< of rows of one group whose intervals do not touch
  /// Share of these pairs that are predicted in the order in which they were measured; nothing
  /// without a pair.
  std::optional<double> pair_accuracy;
  /// Kendall's τ over these pairs: those in the right order minus those in the wrong order, as a
  /// share of all; a pair of equal predictions is neither.
  std::optional<double> kendall_tau;
};

/// Judges a model by groups of rows. Rows of one group are of the same reduction by different plans
/// and distributions, among which a user chooses. Throws `Error` without a row, for a negative
/// prediction, for a measured time that is not above 0, and where one of the two is not finite.
Scorecard judge(std::span<const std::vector<JudgedRow>> groups);

}  // namespace bracket
