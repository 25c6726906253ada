#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "bracket/model/loggp.hpp"
#include "bracket/model/messages.hpp"
#include "options.hpp"

/// Options of machines and of what the score charges.
namespace bracket::tools {

/// Where a machine's figures come from: `--machine`, or a plan file. Empty without either.
struct MachineSource {
  std::string written;  ///< as it was given: a name or a file
  std::string file;
};

/// `--machine NAME`, and over its figures `--latency`, `--overhead`, `--gap`, `--gap-per-byte`,
/// `--t-add`.
struct MachineOptions {
  MachineSource source;
  Machine machine;
  /// Without `--machine` that of the plan file, whose option `schedule` has added, is taken.
  void add_to(CLI::App& command, ScheduleOptions* schedule = nullptr);
  /// `--overhead-per-byte`, `--eager`.
  void add_loggops_to(CLI::App& command);
  /// `--node-latency`, `--node-overhead`, `--node-gap`, `--node-gap-per-byte`. After the others,
  /// which are those inside a node, too, unless given.
  void add_nodes_to(CLI::App& command);
};

/// What the score charges: `--machine NAME`, and over its figures `--t-send`, `--t-add`.
struct ScoreOptions {
  Machine machine;
  double send_seconds = ScoreCosts{}.send_seconds;
  /// Without `--machine` that of the plan file is taken, likewise.
  void add_to(CLI::App& command, ScheduleOptions& schedule);
  /// On so many ranks; a message's whole way is a machine's o + L + o.
  [[nodiscard]] ScoreCosts costs(Index elements, Rank ranks, Index items = 1) const;
};

/// `--t-send`, in seconds.
void add_send_seconds(CLI::App& command, double& seconds);
void add_send_seconds(CLI::App& command, std::optional<double>& seconds);

/// What an addition costs where every rank holds a fair share.
double add_seconds_of(const Machine& machine, Index elements, Rank ranks, Index items);

}  // namespace bracket::tools
