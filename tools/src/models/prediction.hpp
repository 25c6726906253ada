// SPDX-License-Identifier: MIT

#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "bracket/model/range.hpp"
#include "bracket/simulator/simulation.hpp"
#include "bracket/simulator/timeline.hpp"
#include "models/cost_models.hpp"
#include "models/scenario.hpp"

namespace bracket::tools {

/// A cost model's prediction. Members that the model does not predict are empty.
struct Prediction {
  double makespan = 0;  ///< seconds until the last rank is done; for a score, its value
  Index messages = 0;
  std::vector<double> finish{};        ///< seconds, for each rank
  std::optional<double> joules{};      ///< energy that nodes and links consume
  std::optional<Timeline> timeline{};  ///< present if the conditions request it
  /// Keys of a row, as of `tell_result`.
  nlohmann::ordered_json result = nlohmann::ordered_json::object();
};

/// Converts the result of a simulation to a prediction.
Prediction prediction_of(Simulation simulation, std::optional<Timeline> timeline = {});

/// Returns the model's prediction for the scenario. Throws `Error` for a scenario that the model
/// cannot predict, and for a model that this program does not link.
Prediction predict(const CostModel& model, const Scenario& scenario);

/// Registers the function that predicts by a model. Each model's source file defines one object, so
/// a program can predict by the models whose files it links.
class Predictor {
 public:
  using Predict = Prediction (*)(const Scenario&);
  Predictor(std::string_view model, Predict predict);
};

}  // namespace bracket::tools
