// SPDX-License-Identifier: MIT

#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bracket/model/allreduce_rounds.hpp"
#include "bracket/model/schedule.hpp"
#include "rows/row_filter.hpp"
#include "rows/rows.hpp"

namespace bracket::tools {

/// A measured row that the models can predict.
struct Measurement {
  nlohmann::ordered_json row;  ///< its keys and measured times
  std::string file;
  std::string reduction;            ///< in words; rows of one reduction differ only in `choice`
  std::string choice;               ///< plan and distribution, or algorithm
  double measured = 0;              ///< seconds
  double low = 0;                   ///< lower end of its interval, in seconds
  double high = 0;                  ///< upper end, in seconds
  std::optional<double> fastest{};  ///< seconds of the fastest sample

  Rank ranks = 1;
  int threads = 1;             ///< of each rank
  bool shares_memory = false;  ///< whether short messages inside a node went through memory
  Index items = 1;
  Index value_bytes = 8;
  RowKey key{};                 ///< of the schedule, unless `is_rounds`
  RowSetting setting{};         ///< of the schedule, unless `is_rounds`
  std::vector<Round> rounds{};  ///< of an all-reduce algorithm of an MPI library

  /// Whether the row belongs to an algorithm with rounds; on one rank, it has an empty list of
  /// them.
  bool is_rounds = false;
};

/// Makes the schedule of a measurement without rounds. Throws `Error`, which names the row, if no
/// such schedule exists or if it has too many ranks for the memory.
Schedule schedule_of(const Measurement& measurement);

/// Options that name measured rows.
struct MeasuredRowsOptions {
  std::vector<std::string> files;
  std::vector<std::string> only;  ///< conditions of a `RowFilter`
};
void add_measured_rows(CLI::App& command, MeasuredRowsOptions& options);

/// Measured rows from files.
struct Measurements {
  std::vector<Measurement> rows;
  std::map<std::string, Index> left_out{};  ///< accepted rows that no model predicts, by reason
  Circumstances circumstances{};
};

/// Leaves out the rows of operations other than those that `computes` accepts. Throws `Error` if no
/// row remains.
void keep_operations(Measurements& found,
                     const std::function<bool(const Operation& operation)>& computes);

/// Warns on stderr of left-out rows, if any, with their number and reasons, and of rows that were
/// measured in different circumstances.
void warn_of_rows(const Measurements& found);

/// Reads files that `run --json`, `bench --json` or `compare --json` wrote, or tables of published
/// measurements as comma-separated values. The first line of such a table names its columns:
///
/// - `ranks`, `algorithm`, `bytes` and `median_us`, and if known `q25_us`, `q75_us`, `min_us` and
///   any others: all-reduces of int32 vectors of `bytes` bytes by `allreduce_algorithm`,
/// - `elements`, `ranks` and columns `NAME_us`: sums of `elements` float64 over all ranks. `tree`
///   is the plan buffered, to rank 0 (thesis, section 3.1.1). Any other NAME folds the share of
///   each rank and calls an all-reduce of one number.
///
/// Rows with the same keys are starts of one measurement, which gets their median. Throws `Error`,
/// which names the file and the line, for a row that cannot be read, and `Error` if the filter
/// accepts no row that can be predicted.
Measurements read_measurements(const std::vector<std::string>& files, const RowFilter& filter);

}  // namespace bracket::tools
