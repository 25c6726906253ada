// SPDX-License-Identifier: MIT

#pragma once

#include <algorithm>

#include "models/cost_models.hpp"

namespace bracket::testing {

/// Number of cost models that the front alone predicts by and that take a fact into account.
inline std::size_t front_models_with(tools::Fact fact) {
  const auto models = tools::cost_models();
  const auto count = std::count_if(
      models.begin(), models.end(),
      [&](const tools::CostModel& model) { return !model.apart && model.knows.*fact; });
  return static_cast<std::size_t>(count);
}

/// Number of cost models that judge rows of reductions.
inline std::size_t models_of_schedules() { return front_models_with(&tools::Knowledge::paths); }

/// Number of cost models that judge rows of all-reduce algorithms.
inline std::size_t models_of_rounds() { return front_models_with(&tools::Knowledge::rounds); }

}  // namespace bracket::testing
