// SPDX-License-Identifier: MIT

#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bracket/model/range.hpp"

namespace bracket::tools {

/// Options with which `bench` and `tune --for` start a launcher themselves: `-p`, `--launcher`,
/// `--oversubscribe`.
struct LaunchOptions {
  std::vector<Rank> ranks;
  std::string launcher;
  bool oversubscribe = false;

  /// Returns the option `-p`.
  CLI::Option* add_to(CLI::App& command);

  /// Throws `Error` if one of the options is given to a rank of a launch.
  static void refuse(const CLI::App& command);

  /// Sorts the numbers of ranks. Throws `Error` if one is given twice, or if this machine has fewer
  /// cores and the options do not say that this is intended.
  void prepare();

  /// Starts `program` on this number of ranks and returns the rows that it prints as JSON lines.
  /// Throws `Error` if it fails, prints no row, another row than one of `is_row`, or a row of
  /// another number of ranks. `name` names the command in messages: `bracket bench --json`.
  [[nodiscard]] std::vector<nlohmann::ordered_json> rows_on(
      Rank count, const std::vector<std::string>& program, const std::string& name,
      bool (*is_row)(const nlohmann::ordered_json& row)) const;
};

}  // namespace bracket::tools
