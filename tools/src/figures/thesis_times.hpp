// SPDX-License-Identifier: MIT

#pragma once

#include <string>
#include <vector>

#include "figures/figure_runs.hpp"

/// Times of the thesis's sums: published, predicted and measured here.
namespace bracket::tools {

/// Numbers of elements of the thesis's table 4.1.
std::vector<Index> thesis_sizes(bool quick);

/// A row of the thesis's times on p = 256 ranks, in seconds (data/published/thesis_p256.csv).
struct PublishedTimes {
  Index elements = 0;
  double accumulate = 0;
  double tree = 0;
  double reproblas = 0;

  /// Time of the loop that ran before each sum (`--workload=1` of the thesis's program): N / p
  /// dependent multiply-adds of 4.15 ns, by the difference to published times without the loop.
  [[nodiscard]] double loop() const { return static_cast<double>(elements) / 256 * 4.15e-9; }
};

/// Returns the rows of the file; none if it is missing.
std::vector<PublishedTimes> published_times(const FigureRuns& runs);

/// Sentence about the file, or about its absence.
std::string words_about_published(bool found);

/// Words of `compare` for a sum in tree order with the buffer of the thesis's program.
inline const std::vector<std::string> thesis_tree{"--plan", "buffered:4:32"};

/// Predicted time of a sum over equal shares: the value of `key` in a row of `compare --predict`.
double predicted(const FigureRuns& runs, Index elements, Rank ranks, const std::string& machine,
                 const std::vector<std::string>& words = thesis_tree,
                 const std::string& key = "loggp_seconds");

}  // namespace bracket::tools
