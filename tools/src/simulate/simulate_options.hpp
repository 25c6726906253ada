#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bracket/simulator/disturbance.hpp"
#include "common/machine_options.hpp"
#include "common/options.hpp"
#include "cost/cost_models.hpp"
#include "rows/report.hpp"
#include "simulate/network_options.hpp"
#include "sweep/sweep.hpp"

namespace bracket::tools {

/// What `bracket simulate` is asked for.
struct SimulateOptions {
  Index elements = 0;
  Rank ranks = 0;
  ScheduleOptions schedule;
  std::string schedule_file;
  MachineOptions machine;
  NetworkOptions network;
  std::string watts;       // a `NodeWatts`, or empty
  std::string link_watts;  // a `LinkWatts`, likewise
  Index seed = 1;
  Disturbance disturbance;  // without the seed
  std::vector<std::string> engines;
  std::string goal;
  std::string chrome_trace;
  std::string paje;
  std::vector<Sweep> sweeps;
  std::optional<Index> jobs;  // at once; as many as there are cores if not given
  bool of_sweep = false;      // what is asked for at one of its points
  std::string output;
  bool finish = false;
  bool json = false;
  bool csv = false;

  SimulateOptions();
  SimulateOptions(const SimulateOptions&) = delete;  // options refer to it
  SimulateOptions& operator=(const SimulateOptions&) = delete;

  void add_to(CLI::App& command);

  /// Throws `Error` if an option of `command` is given that the others leave without effect. Where
  /// engines are swept, one that any of them may look at is not.
  void check(const CLI::App& command) const;

  /// The machine in one line, for people, without what is swept.
  [[nodiscard]] std::string machine_line() const;

  /// Says on stderr which figures are the default machine's though others are given.
  void warn_of_defaults() const;

  /// Says in a row what it is simulated with.
  void tell(nlohmann::ordered_json& row) const;

  /// 16 hexadecimal digits of what is in the files that are named, `distribution` among them if it
  /// is one; empty if none is: under the same name there may be something else by now.
  [[nodiscard]] std::string digest_of_files(const std::string& distribution) const;

  [[nodiscard]] Disturbance seeded_disturbance() const {
    Disturbance seeded = disturbance;
    seeded.seed = static_cast<std::uint64_t>(seed);
    return seeded;
  }

  /// One file each of what happened or is to be done.
  [[nodiscard]] bool any_timeline() const { return !chrome_trace.empty() || !paje.empty(); }
  [[nodiscard]] bool any_trace() const { return !goal.empty() || any_timeline(); }

 private:
  [[nodiscard]] bool any_engine_knows(Fact fact) const;
  void add_energy_to(CLI::App& command);
  void add_disturbance_to(CLI::App& command);
  void add_output_to(CLI::App& command);
};

/// What can be said of a row beside its results, each with the option that sets it, if one does.
struct SettingColumn {
  std::string option;
  Column column;
};
std::span<const SettingColumn> setting_columns();

}  // namespace bracket::tools
