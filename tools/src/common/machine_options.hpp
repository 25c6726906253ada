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

/// Options of machines and of what the score charges.
namespace bracket::tools {

/// Where a machine's figures come from: `--machine`, or a plan file. Empty without either.
struct MachineSource {
  std::string written;  ///< as it was given: a name or a file
  std::string file;

  /// "machine NAME", or the default's.
  [[nodiscard]] std::string title() const;
};

/// A figure that has an option of its own.
struct Figure {
  std::string option;
  std::string symbol;
  double seconds = 0;
};

/// Where neither a machine nor a plan file is given, but some of these figures are, says on stderr
/// which are the default machine's. `given` has the options on the command line.
void warn_of_defaults(const MachineSource& source, const std::vector<Figure>& figures,
                      const std::set<std::string>& given);

/// `--machine NAME`, and over its figures `--latency`, `--overhead`, `--gap`, `--gap-per-byte`,
/// `--t-add`.
struct MachineOptions {
  MachineSource source;
  Machine machine;
  std::set<std::string> given;  ///< options of single figures
  /// Without `--machine` that of the plan file, whose option `schedule` has added, is taken.
  void add_to(CLI::App& command, ScheduleOptions* schedule = nullptr);
  /// `--overhead-per-byte`, `--eager`.
  void add_loggops_to(CLI::App& command);
  /// `--node-latency`, `--node-overhead`, `--node-gap`, `--node-gap-per-byte`. After the others,
  /// which are those inside a node, too, unless given.
  void add_nodes_to(CLI::App& command);

  /// L, o, g, G and the addition.
  [[nodiscard]] std::vector<Figure> figures() const;
  /// Those with these options.
  [[nodiscard]] std::vector<Figure> figures(const std::vector<std::string>& options) const;
  /// The machine in one line, for people, without the figures of these options.
  [[nodiscard]] std::string line(const std::set<std::string>& without = {}) const;
  /// The keys of its figures in a row.
  void tell(nlohmann::ordered_json& row) const;
};

/// What the score charges: `--machine NAME`, and over its figures `--t-send`, `--t-add`.
struct ScoreOptions {
  MachineSource source;
  Machine machine;
  std::set<std::string> given;  ///< options of single figures
  double send_seconds = ScoreCosts{}.send_seconds;
  /// Without `--machine` that of the plan file is taken, likewise.
  void add_to(CLI::App& command, ScheduleOptions& schedule);
  /// On so many ranks; a message's whole way is a machine's o + L + o.
  [[nodiscard]] ScoreCosts costs(Index elements, Rank ranks, Index items = 1) const;
  [[nodiscard]] std::vector<Figure> figures() const;
  /// The machine in one line, for people, without the figures of these options.
  [[nodiscard]] std::string line(const std::set<std::string>& without = {}) const;
  /// The keys of the machine and of these costs in a row.
  void tell(nlohmann::ordered_json& row, const ScoreCosts& costs) const;
};

/// Such a line for the score alone.
std::string score_line(const MachineSource& source, const Machine& machine, double send_seconds,
                       const std::set<std::string>& without = {});

/// `--t-send`, in seconds.
void add_send_seconds(CLI::App& command, double& seconds);
void add_send_seconds(CLI::App& command, std::optional<double>& seconds);

/// What an addition costs where every rank holds a fair share.
double add_seconds_of(const Machine& machine, Index elements, Rank ranks, Index items);

}  // namespace bracket::tools
