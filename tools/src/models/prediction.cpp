// SPDX-License-Identifier: MIT

#include "models/prediction.hpp"

#include <cmath>
#include <map>
#include <utility>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::tools {

namespace {

std::map<std::string_view, Predictor::Predict>& predictors() {
  static std::map<std::string_view, Predictor::Predict> all;
  return all;
}

}  // namespace

Predictor::Predictor(std::string_view model, Predict predict) { predictors()[model] = predict; }

Prediction prediction_of(Simulation simulation, std::optional<Timeline> timeline) {
  return {simulation.makespan, simulation.messages, std::move(simulation.finish), simulation.joules,
          std::move(timeline)};
}

Prediction predict(const CostModel& model, const Scenario& scenario) {
  const auto found = predictors().find(model.name);
  if (found == predictors().end()) {
    throw Error(text("this program does not predict by ", model.title));
  }
  Prediction prediction = found->second(scenario);
  if (!std::isfinite(prediction.makespan)) {
    throw Error(text(model.title, " predicts ", prediction.makespan,
                     " seconds: a figure of the machine is too large"));
  }
  return prediction;
}

}  // namespace bracket::tools
