// SPDX-License-Identifier: MIT

#include "bracket/simulator/simgrid.hpp"

#include "models/prediction.hpp"

namespace bracket::tools {

namespace {

Prediction predict_simgrid(const Scenario& scenario) {
  const Conditions& conditions = scenario.conditions();
  std::optional<Timeline> timeline;
  if (conditions.timeline) timeline.emplace();
  auto simulation = replay_simgrid(scenario.workload(), conditions.machine, conditions.network,
                                   timeline ? &*timeline : nullptr);
  return prediction_of(std::move(simulation), std::move(timeline));
}

const Predictor simgrid_predictor("simgrid", predict_simgrid);

}  // namespace

}  // namespace bracket::tools
