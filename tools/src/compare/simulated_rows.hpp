#pragma once

#include <string>
#include <vector>

#include "bracket/model/loggp.hpp"
#include "rows/rows.hpp"

namespace bracket::tools {

/// What `bracket simulate` is to be asked for, beside an engine and a number of ranks.
struct SimulatedRows {
  Index elements = 0;
  Machine machine;
  std::string platform;                ///< as written; empty for the one that is built in
  std::vector<std::string> arguments;  ///< of the schedules
  RowSetting setting;

  /// Starts it. Throws `Error` if this build has not the engine, and what `output_of` and
  /// `read_rows` throw.
  [[nodiscard]] Rows by(const std::string& engine, Rank ranks) const;
};

}  // namespace bracket::tools
