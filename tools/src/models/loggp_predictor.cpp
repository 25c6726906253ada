// SPDX-License-Identifier: MIT

#include "bracket/model/loggp.hpp"

#include "models/prediction.hpp"

namespace bracket::tools {

namespace {

Prediction predict_loggp(const Scenario& scenario) {
  const Machine& machine = scenario.conditions().machine;
  Prediction prediction;
  if (const auto& given = scenario.rounds()) {
    prediction.makespan = seconds_of(given->rounds, given->items, given->ranks, machine);
    return prediction;
  }
  PaperCost cost = paper_cost(scenario.schedule(), machine);
  prediction.makespan = cost.makespan;
  prediction.messages = scenario.schedule().messages();
  prediction.finish = std::move(cost.finish);
  return prediction;
}

const Predictor loggp_predictor("loggp", predict_loggp);

}  // namespace

}  // namespace bracket::tools
