// SPDX-License-Identifier: MIT

#pragma once

#include <optional>
#include <vector>

#include "bracket/model/range.hpp"

namespace bracket {

/// Costs of a schedule on a network.
struct Simulation {
  double makespan = 0;             ///< seconds until the last rank is done
  std::vector<double> finish;      ///< seconds, for each rank
  Index messages = 0;              ///< messages that were sent
  std::optional<double> joules{};  ///< energy of nodes and links, if their power is known

  friend bool operator==(const Simulation&, const Simulation&) = default;
};

}  // namespace bracket
