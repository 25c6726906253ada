// SPDX-License-Identifier: MIT

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bracket/viz/schedule_times.hpp"

namespace bracket::viz {

/// A row of a timeline: one rank, or several that follow each other.
struct TimelineRow {
  Rank first = 0;
  Rank last = 0;
  bool critical = false;  ///< a single rank that the critical path visits

  [[nodiscard]] bool single() const { return first == last; }
  [[nodiscard]] Rank ranks() const { return last - first + 1; }
  /// "17" or "20–39".
  [[nodiscard]] std::string label() const;
};

/// Rows for `ranks` ranks from rank 0 on. Up to `most_single` ranks have a row each. Of more ranks,
/// those that the critical path visits keep a row each, and the others share rows, nearly the same
/// number in each, so that there are at most `most_rows` ≥ 8 rows. If the path visits more than a
/// third as many ranks, those on which it stays longest keep a row.
std::vector<TimelineRow> timeline_rows(Rank ranks, const ScheduleTimes& times,
                                       std::size_t most_single, std::size_t most_rows);

}  // namespace bracket::viz
