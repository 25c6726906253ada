// SPDX-License-Identifier: MIT

#pragma once

#include <string>
#include <vector>

#include "bracket/model/loggp.hpp"
#include "rows/rows.hpp"

namespace bracket::tools {

/// Arguments of `bracket simulate` other than an engine and a number of ranks.
struct SimulatedRows {
  Index elements = 0;
  Machine machine;
  int threads = 1;                     ///< of each rank
  std::string platform;                ///< as written; empty for the built-in cluster
  std::vector<std::string> arguments;  ///< words for the schedules
  RowSetting setting;

  /// Runs `bracket simulate` with `engine` on `ranks` ranks and returns its rows. Throws `Error` if
  /// this build does not have the engine, and in the cases of `output_of` and `read_rows`.
  [[nodiscard]] Rows by(const std::string& engine, Rank ranks) const;
};

}  // namespace bracket::tools
