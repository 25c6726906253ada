#pragma once

#include <string>

#include "bracket/model/distribution.hpp"
#include "bracket/model/range.hpp"
#include "bracket/model/schedule.hpp"

namespace bracket {

/// A reduction with all its choices, as a plan file has it for one N and p.
struct PlannedReduction {
  std::string order;  ///< with every parameter
  std::string plan;   ///< with every parameter
  Distribution distribution;
  Delivery delivery = {};
  Index items = 1;

  friend bool operator==(const PlannedReduction&, const PlannedReduction&) = default;
};

}  // namespace bracket
