#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "bracket/model/range.hpp"
#include "bracket/simulator/simulation.hpp"
#include "bracket/simulator/timeline.hpp"
#include "cost/cost_models.hpp"
#include "cost/scenario.hpp"

namespace bracket::tools {

/// What a cost model predicts. What the model does not know is empty.
struct Prediction {
  double makespan = 0;  ///< seconds until the last rank is done; of a score, its value
  Index messages = 0;
  std::vector<double> finish{};        ///< seconds, for each rank
  std::optional<double> joules{};      ///< consumed by nodes and links
  std::optional<Timeline> timeline{};  ///< if the conditions ask for it
  std::vector<double> result{};        ///< every item
};

/// The prediction that a simulation gives.
Prediction prediction_of(Simulation simulation, std::optional<Timeline> timeline = {});

/// What the model predicts for the scenario. Throws `Error` for a scenario that the model cannot
/// predict, and for a model that this program does not link.
Prediction predict(const CostModel& model, const Scenario& scenario);

/// How this program predicts by a model. The model's source file defines one, so that a program
/// predicts by those models whose files it links.
class Predictor {
 public:
  using Predict = Prediction (*)(const Scenario&);
  Predictor(std::string_view model, Predict predict);
};

}  // namespace bracket::tools
