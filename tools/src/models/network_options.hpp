// SPDX-License-Identifier: MIT

#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "bracket/simulator/placement.hpp"
#include "bracket/simulator/platforms.hpp"
#include "models/cost_models.hpp"

namespace bracket::tools {

/// `--cores`, `--placement` and `--platform`: the simulated network, without the machine.
struct NetworkOptions {
  Index cores = 1;
  std::string placement = "block";
  Placement placed{};  // parsed `placement`
  std::string platform = "cluster";

  void add_to(CLI::App& command);

  /// Throws `Error` for an unknown name, or if `cores` is not 1 with a platform file, which defines
  /// its own cores.
  [[nodiscard]] Network network() const;

  /// Whether cores or a placement differ from the defaults.
  [[nodiscard]] bool any_placed() const;

  /// Throws `Error` if an option differs from its default and the model does not take it into
  /// account.
  void check_known_by(const CostModel& model, Role role) const;
};

}  // namespace bracket::tools
