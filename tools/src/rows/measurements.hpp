#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bracket/model/allreduce_rounds.hpp"
#include "bracket/model/schedule.hpp"
#include "rows/rows.hpp"

namespace bracket::tools {

/// A measured row that the models can predict.
struct Measurement {
  nlohmann::ordered_json row;  ///< its keys and measured times
  std::string file;
  std::string reduction;  ///< in words; rows of one reduction differ in `choice` alone
  std::string choice;     ///< plan and distribution, or algorithm
  double measured = 0;    ///< seconds
  double low = 0;         ///< interval of that
  double high = 0;
  std::optional<double> fastest{};  ///< seconds of the fastest sample

  Rank ranks = 1;
  Index items = 1;
  Index value_bytes = 8;
  RowKey key{};                 ///< of the schedule, unless there are rounds
  RowSetting setting{};         ///< likewise
  std::vector<Round> rounds{};  ///< of an all-reduce algorithm of an MPI library

  /// Whether the row is of rounds. A row on one rank has none, but is of rounds as well.
  bool is_rounds = false;
};

/// The schedule of a measurement without rounds. Throws `Error`, which names the row, if there is
/// none, or if it has more ranks than fit into memory.
Schedule schedule_of(const Measurement& measurement);

/// The options that name measured rows.
struct MeasuredRowsOptions {
  std::vector<std::string> files;
  std::vector<std::string> only;  ///< as `RowFilter` takes them
};
void add_measured_rows(CLI::App& command, MeasuredRowsOptions& options);

/// Which rows are wanted: `KEY=VALUE`, where the value has alternatives with commas between them,
/// each with the wildcards `*` and `?`.
class RowFilter {
 public:
  /// Throws `Error` for a condition of another form. Conditions of one key are alternatives.
  explicit RowFilter(const std::vector<std::string>& conditions);

  /// Whether all conditions hold. A missing key matches no value.
  [[nodiscard]] bool accepts(const nlohmann::ordered_json& row) const;

  /// Throws `Error`, which says why no row of these files was accepted, and `more`.
  [[noreturn]] void refuse(const std::string& files, const std::string& more) const;

 private:
  struct Condition {
    std::string key;
    std::vector<std::string> patterns{};
    mutable bool key_seen = false;  // in any row so far
  };
  std::vector<Condition> conditions_;
};

/// Rows that somebody measured.
struct Measurements {
  std::vector<Measurement> rows;
  std::map<std::string, Index> left_out{};  ///< accepted rows that no model predicts, by algorithm
};

/// Says on stderr how many rows were left out, and by which algorithms, if any.
void warn_of_left_out(const Measurements& found);

/// Reads files that `bracket run --json` or `compare --json` wrote, or tables of published
/// measurements as comma-separated values. The first line of such a table names its columns:
///
/// - `ranks`, `algorithm`, `bytes` and `median_us`, and if known `q25_us`, `q75_us`, `min_us` and
///   any others: all-reduces of int32 vectors of so many bytes by `allreduce_algorithm`,
/// - `elements`, `ranks` and columns `NAME_us`: sums of so many float64 over all ranks. `tree` is
///   the plan buffered, to rank 0 (thesis, section 3.1.1); any other NAME folds the share of each
///   rank and calls an all-reduce of one number.
///
/// Rows with the same keys are starts of one measurement: the median counts. Throws `Error`, which
/// names the file and the line, for a row that cannot be read, and if the filter accepts no row
/// that can be predicted.
Measurements read_measurements(const std::vector<std::string>& files, const RowFilter& filter);

}  // namespace bracket::tools
