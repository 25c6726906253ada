// SPDX-License-Identifier: MIT

#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bracket/model/loggp.hpp"
#include "bracket/model/messages.hpp"
#include "common/options.hpp"
#include "common/schedule_options.hpp"

/// Options for machines and for the costs of the score.
namespace bracket::tools {

/// Source of a machine's figures: `--machine` or a plan file. Empty without either.
struct MachineSource {
  std::string written;  ///< name or file, as given
  std::string file;

  /// Returns "machine NAME", or the title of the default machine.
  [[nodiscard]] std::string title() const;
};

/// A figure that has an option of its own.
struct Figure {
  std::string option;
  std::string symbol;
  double seconds = 0;
};

/// Prints on stderr which figures come from the default machine, if some figures are given but
/// neither a machine nor a plan file. `given` has the options on the command line.
void warn_of_defaults(const MachineSource& source, const std::vector<Figure>& figures,
                      const std::set<std::string>& given);

/// Returns a machine with the costs of an operation, by default the sum of float64, on ranks of so
/// many threads. Throws `Error` as `Machine::computing`.
Machine machine_for(const Machine& machine, const std::optional<Operation>& operation, int threads);

/// `--machine NAME`, `--messages NAME`, and the options that replace its figures: `--latency`,
/// `--overhead`, `--gap`, `--gap-per-byte`, `--t-add`.
struct MachineOptions {
  MachineSource source;
  Machine machine;
  bool through_mpi = false;     ///< all messages take the times of the MPI library's
  int threads = 1;              ///< of each rank
  std::set<std::string> given;  ///< options of single figures
  /// Adds the options. Without `--machine`, the machine of the plan file is used, if `schedule` has
  /// added `--plan-file`.
  void add_to(CLI::App& command, ScheduleOptions* schedule = nullptr);
  /// Adds `--threads`.
  void add_threads_to(CLI::App& command);
  /// Adds `--overhead-per-byte` and `--eager`.
  void add_loggops_to(CLI::App& command);
  /// Adds `--node-latency`, `--node-overhead`, `--node-gap` and `--node-gap-per-byte`. Call it
  /// after the others, whose values also apply inside a node unless these options are given.
  void add_nodes_to(CLI::App& command);

  /// Returns the machine with the costs of an operation, by default the sum of float64, on ranks of
  /// `threads` threads. Throws `Error` as `Machine::computing`.
  [[nodiscard]] Machine computing(const std::optional<Operation>& operation) const {
    return machine_for(machine, operation, threads);
  }

  /// Returns L, o, g, G and the time of an addition.
  [[nodiscard]] std::vector<Figure> figures() const;
  /// Returns the figures that these options set.
  [[nodiscard]] std::vector<Figure> figures(const std::vector<std::string>& options) const;
  /// Describes the machine in one line, without the figures of the options `without`.
  [[nodiscard]] std::string line(const std::set<std::string>& without = {}) const;
  /// Adds the keys of its figures to a row.
  void tell(nlohmann::ordered_json& row) const;

 private:
  void take_messages(const std::string& written);
};

/// Costs of the score: `--machine NAME`, and `--t-send` and `--t-add`, which replace its figures.
struct ScoreOptions {
  MachineSource source;
  Machine machine;
  int threads = 1;              ///< of each rank
  std::set<std::string> given;  ///< options of single figures
  double send_seconds = ScoreCosts{}.send_seconds;
  /// Adds the options and `--threads`. Without `--machine`, the machine of the plan file is used.
  void add_to(CLI::App& command, ScheduleOptions& schedule);
  /// Returns the costs of an operation, by default the sum of float64, on `ranks` ranks. A message
  /// costs the machine's o + L + o. Throws `Error` as `Machine::computing`.
  [[nodiscard]] ScoreCosts costs(Index elements, Rank ranks, Index items = 1,
                                 const std::optional<Operation>& operation = {}) const;
  [[nodiscard]] std::vector<Figure> figures() const;
  /// Describes the machine in one line, without the figures of the options `without`.
  [[nodiscard]] std::string line(const std::set<std::string>& without = {}) const;
  /// Adds the keys of the machine and of these costs to a row.
  void tell(nlohmann::ordered_json& row, const ScoreCosts& costs) const;
};

/// Explanation of the score, for the help of commands that show it.
constexpr const char* score_explanation =
    "The score is a cost of a distribution, in seconds. It is the number of messages of the plan "
    "direct, times the time of a message, plus the time of the additions on the rank with the most "
    "elements. direct has a message for each addition of the tree whose two operands begin on "
    "different ranks (the thesis: PE-intersecting nodes). The score assumes that all messages "
    "travel one after the other: it ranks distributions, but is not a prediction of the time. The "
    "plan's score, which tune shows, has the messages of the plan in place of those of direct.";

/// Describes a machine in one line, with the costs of the score only.
std::string score_line(const MachineSource& source, const Machine& machine, double send_seconds,
                       const std::set<std::string>& without = {});

/// Says on stderr that the machine has no measured times, if it counts the floating-point
/// operations of `operation`.
void warn_of_flops(const Machine& machine, const std::optional<Operation>& operation);

/// Adds `--t-send`, in seconds.
void add_send_seconds(CLI::App& command, double& seconds);
void add_send_seconds(CLI::App& command, std::optional<double>& seconds);

/// Returns the seconds of an addition if every rank holds an equal share of the elements.
double add_seconds_of(const Machine& machine, Index elements, Rank ranks, Index items);

}  // namespace bracket::tools
