// SPDX-License-Identifier: MIT

#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "bracket/runtime/method.hpp"

namespace bracket::tools {

/// Measurement options of `run`, of `bench` and of `compare`, which starts `run`.
struct MeasurementOptions {
  int repetitions = runtime::Method{}.repetitions;
  int warm_up = runtime::Method{}.warm_up;
  bool cold = false;

  /// Adds `--repetitions`, `--warm-up` and `--cold`. Returns these options.
  std::vector<CLI::Option*> add_to(CLI::App& command, int least_warm_up = 0);

  /// Returns the command-line words that give another command the same options.
  [[nodiscard]] std::vector<std::string> arguments() const;
};

}  // namespace bracket::tools
