// SPDX-License-Identifier: MIT

#include "bracket/model/tune.hpp"
#include "bracket/support/error.hpp"
#include "models/prediction.hpp"

namespace bracket::tools {

namespace {

/// Predicts from the plan's messages, or from direct's messages without a plan.
Prediction predict_score(const Scenario& scenario) {
  if (scenario.problem() == nullptr) throw Error("the score needs a distribution: there is none");
  const Problem& problem = *scenario.problem();
  Prediction prediction;
  prediction.messages = scenario.plan() != nullptr
                            ? count_messages(problem, *scenario.plan())
                            : message_count(problem.order, problem.distribution);
  prediction.makespan = plan_score(problem, prediction.messages, scenario.conditions().costs);
  return prediction;
}

const Predictor score_predictor("score", predict_score);

}  // namespace

}  // namespace bracket::tools
