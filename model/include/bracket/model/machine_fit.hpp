// SPDX-License-Identifier: MIT

#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bracket/model/loggp.hpp"

namespace bracket {

/// A measured reduction, and the prediction of its time on any machine.
struct FitRow {
  std::function<double(const Machine&)> predict;  ///< seconds; the same whenever it is called
  double measured = 0;                            ///< seconds, above 0
  std::optional<double> jitter{};  ///< seconds by which the median is above the fastest sample
  Rank ranks = 1;
  double message_bytes = 0;  ///< in the largest message; 0 without messages
  double folded = 0;         ///< numbers that the fullest rank folds; at most 1 if it folds none
  Index items = 1;           ///< numbers in a vector; 1 for a number
  Index value_bytes = 8;
  bool schedule = true;  ///< whether ranks differ in their messages, so that overheads matter
};

/// The machine that predicts the rows best.
struct MachineFit {
  Machine machine;
  double combine_share = 0;  ///< of the time per byte of a round that sends and combines a vector
  Index evaluations = 0;     ///< of the whole set of rows
  std::vector<std::string> assumed{};  ///< figures that the rows do not determine, in sentences
};

/// Share of the time per byte of a round of recursive doubling that is charged to combining, if the
/// rows cannot tell it from the message: a round always has both.
inline constexpr double usual_combine_share = 0.25;

/// Finds a machine from measured rows: the start of a run; a table of messages by size, with their
/// overheads; folds by size; the combination of vectors by size. A table has a size wherever the
/// rows have one, at least twice as large as the one before. Messages of up to 256 bytes have one
/// size, unless rows send whole vectors. A table of messages has at most a third as many sizes as
/// there are rows, but at least the smallest, a middle one and the largest.
///
/// Minimises the Huber loss of log(predicted / measured), which is quadratic up to 5 %, so that a
/// few rows that are far off do not decide. Rows that do not determine a figure leave it near its
/// usual value: a normal distribution of its logarithm is added to the loss. The start is near the
/// median jitter of small messages: a run takes longer than its fastest sample by a time that does
/// not depend on the number of rounds. The minimum is found by NLopt. The same rows give the same
/// machine.
///
/// Calls `progress`, if given, after each evaluation of all rows. Throws `Error` without a row, for
/// a time that is not above 0 or not finite, and if rows differ in the bytes of their values.
MachineFit fit_machine(std::span<const FitRow> rows,
                       const std::function<void(Index evaluations)>& progress = {});

}  // namespace bracket
