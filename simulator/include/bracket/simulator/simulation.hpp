#pragma once

#include <optional>
#include <vector>

#include "bracket/model/range.hpp"

namespace bracket {

/// What a schedule costs on a network.
struct Simulation {
  double makespan = 0;             ///< seconds until the last rank is done
  std::vector<double> finish;      ///< seconds, for each rank
  Index messages = 0;              ///< messages sent, counted as each of them left
  std::optional<double> joules{};  ///< that nodes and links took, if it is known what those take

  friend bool operator==(const Simulation&, const Simulation&) = default;
};

}  // namespace bracket
