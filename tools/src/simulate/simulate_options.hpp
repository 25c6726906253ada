// SPDX-License-Identifier: MIT

#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bracket/simulator/disturbance.hpp"
#include "common/arithmetic.hpp"
#include "common/machine_options.hpp"
#include "common/options.hpp"
#include "common/schedule_options.hpp"
#include "models/cost_models.hpp"
#include "models/network_options.hpp"
#include "report/report_options.hpp"
#include "rows/row_table.hpp"
#include "sweep/sweep.hpp"

namespace bracket::tools {

/// Options of `bracket simulate`.
struct SimulateOptions {
  Index elements = 0;
  Rank ranks = 0;
  ScheduleOptions schedule;
  ArithmeticOptions arithmetic;
  std::optional<Operation> operation{};  ///< unless it is the sum of float64
  std::string schedule_file;
  MachineOptions machine;
  NetworkOptions network;
  std::string watts;       // a `NodeWatts`, or empty
  std::string link_watts;  // a `LinkWatts`, or empty
  Index seed = 1;
  Disturbance disturbance;  // without the seed
  std::vector<std::string> engines;
  std::string goal;
  std::string chrome_trace;
  std::string paje;
  std::vector<Sweep> sweeps;
  std::optional<Index> jobs;  // or threads without a sweep; the number of cores if not given
  bool of_sweep = false;      // these options are for one point of a sweep
  std::string output;
  bool finish = false;
  bool json = false;
  bool csv = false;
  ReportOptions report;

  SimulateOptions();
  SimulateOptions(const SimulateOptions&) = delete;  // options refer to it
  SimulateOptions& operator=(const SimulateOptions&) = delete;

  void add_to(CLI::App& command);

  /// Throws `Error` if an option of `command` has no effect together with the other options. If
  /// engines are swept, does not check the options that depend on the engine.
  void check(const CLI::App& command) const;

  /// Takes elements and ranks from the plan file, if there is one, and the operation. Throws
  /// `Error` for an operation that makes no sense.
  void settle();

  /// Number of threads of one simulation: one in a sweep, which shares its points among processes.
  [[nodiscard]] int threads() const;

  /// Describes the machine to people in one line, without swept options.
  [[nodiscard]] std::string machine_line() const;

  /// Warns on stderr of figures that come from the default machine although others are given.
  void warn_of_defaults() const;

  /// Adds to `row` the machine, the nodes and the disturbances of its simulation.
  void tell(nlohmann::ordered_json& row) const;

  /// Digest of the content of all named files, as 16 hexadecimal digits: a file's content may
  /// change under the same name. Includes `distribution` if it is a file. Empty without any file.
  [[nodiscard]] std::string digest_of_files(const std::string& distribution) const;

  [[nodiscard]] Disturbance seeded_disturbance() const {
    Disturbance seeded = disturbance;
    seeded.seed = static_cast<std::uint64_t>(seed);
    return seeded;
  }

  /// Whether a timeline, or any trace, is to be written to a file.
  [[nodiscard]] bool any_timeline() const { return !chrome_trace.empty() || !paje.empty(); }
  /// Whether the report shows the timelines of the rows, if these have few ranks.
  [[nodiscard]] bool reports_timelines() const;
  [[nodiscard]] bool any_trace() const { return !goal.empty() || any_timeline(); }

 private:
  [[nodiscard]] bool any_engine_knows(Fact fact) const;
  void add_energy_to(CLI::App& command);
  void add_disturbance_to(CLI::App& command);
  void add_output_to(CLI::App& command);
};

/// A column for a setting of a row, with the option that sets it; empty without an option.
struct SettingColumn {
  std::string option;
  Column column;
};
std::span<const SettingColumn> setting_columns();

}  // namespace bracket::tools
