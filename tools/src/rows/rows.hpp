// SPDX-License-Identifier: MIT

#pragma once

#include <compare>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "bracket/model/operation.hpp"
#include "bracket/model/schedule.hpp"

namespace bracket::tools {

/// Key that distinguishes the rows of `run`, `simulate` or `compare`.
struct RowKey {
  Index elements = 0;
  Rank ranks = 0;
  std::string distribution;
  std::string rank_order;  ///< as written by the user; empty for the identity
  std::string plan;        ///< with all its parameters

  friend auto operator<=>(const RowKey&, const RowKey&) = default;
};

using Rows = std::map<RowKey, nlohmann::ordered_json>;

/// Setting that is common to all rows of one comparison.
struct RowSetting {
  std::string order;
  Delivery delivery;
  Items items{};
  Operation operation{};  ///< its order is that of `order`

  friend bool operator==(const RowSetting&, const RowSetting&) = default;
};

/// Returns the items or fields of a row, 1 by default. Throws `Error` for a value that is none.
Items items_of(const nlohmann::ordered_json& row);

/// A duration that rows must have: its key and its smallest allowed value in seconds.
struct Duration {
  const char* key;
  double least;
};
/// A measured run takes more than 0 seconds. A simulated run may take 0 on a machine without costs.
inline constexpr Duration measured_duration{"measured_seconds", 1e-12};
inline constexpr Duration simulated_duration{"simulated_seconds", 0};

/// Values of the circumstances of measured rows, by key: kernel, threads and so on. For each value,
/// the number of reductions with it, and how many of these rows were kept.
class Circumstances {
 public:
  void add(const nlohmann::ordered_json& row, bool kept);

  /// Says on stderr in which circumstances the rows differ and which rows are kept, followed by
  /// `remedy`; and that rows of `--cold` are compared with predictions of warm caches.
  void warn(const std::string& remedy) const;

 private:
  struct Count {
    Index all = 0;
    Index kept = 0;
  };
  std::map<std::string, std::map<std::string, Count>> values_;
};

/// Reads the rows of `setting` that a program wrote with `--json`. Rows with one key, kernel and
/// environment are starts of one measurement. Their combined row has the median of the durations,
/// an interval that contains the intervals of all starts, and the number of `starts`. Of several
/// kernels or environments, only the fastest is kept; all are added to `circumstances`, if given.
/// Throws `Error`, which names `where` and the line, for a row that cannot be read, for a duration
/// that is missing, below its least or above 1e9 seconds, and for starts whose schedules gave
/// different bits for the same elements.
Rows read_rows(const std::string& lines, const Duration& duration, const RowSetting& setting,
               const std::string& where, Circumstances* circumstances = nullptr);

}  // namespace bracket::tools
