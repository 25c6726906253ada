#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "bracket/model/loggp.hpp"
#include "bracket/simulator/placement.hpp"
#include "bracket/simulator/platforms.hpp"

namespace bracket::tools {

/// `--cores`, `--placement`, `--platform`: what is simulated, beside the machine.
struct NetworkOptions {
  Index cores = 1;
  std::string placement = "block";
  Placement placed{};  // what that says
  std::string platform = "cluster";

  void add_to(CLI::App& command);

  /// Throws `Error` for an unknown name or a platform that says its own cores.
  [[nodiscard]] Network network() const;

  /// The node of each rank, as `replay_loggops` takes them: none where all nodes are alike. Throws
  /// `Error` for a platform, of which it knows nothing.
  [[nodiscard]] std::vector<std::uint32_t> nodes(Rank ranks, const Machine& machine) const;

  /// The node of each rank, as `Workload` takes them: empty unless cores or a placement were given,
  /// or if the platform is a file, which has its own nodes.
  [[nodiscard]] std::vector<std::uint32_t> sites(Rank ranks) const;

  /// Throws `Error` if another platform than the cluster is asked for.
  void check_without_links() const;
};

}  // namespace bracket::tools
