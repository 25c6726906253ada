#pragma once

#include <compare>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "bracket/model/schedule.hpp"

namespace bracket::tools {

/// What tells one row of `run`, `simulate` or `compare` from another.
struct RowKey {
  Index elements = 0;
  Rank ranks = 0;
  std::string distribution;
  std::string rank_order;  ///< as asked for; empty for the identity
  std::string plan;        ///< with all its parameters

  friend auto operator<=>(const RowKey&, const RowKey&) = default;
};

using Rows = std::map<RowKey, nlohmann::ordered_json>;

/// What all rows of one comparison share.
struct RowSetting {
  std::string order;
  Delivery delivery;
  Index items = 1;
};

/// A duration that rows must have: its key, and the least that it can be, in seconds.
struct Duration {
  const char* key;
  double least;
};
/// A run takes longer than nothing; a simulated one need not, where everything is free.
inline constexpr Duration measured_duration{"measured_seconds", 1e-12};
inline constexpr Duration simulated_duration{"simulated_seconds", 0};

/// The rows of `setting` that a program wrote with `--json`. Rows with one key, by one kernel in
/// one environment, are starts of one measurement: their row has the median of the durations, an
/// interval that holds those of all, and the number of `starts`. Of several kernels or environments
/// it keeps the fastest. Throws `Error` naming `where` and the line, also for a duration that is
/// missing, below its least or above 1e9 seconds, and for starts whose schedules gave different
/// bits of the same elements.
Rows read_rows(const std::string& lines, const Duration& duration, const RowSetting& setting,
               const std::string& where);

}  // namespace bracket::tools
