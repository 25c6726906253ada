// SPDX-License-Identifier: MIT

#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "bracket/model/range.hpp"
#include "models/cost_models.hpp"

namespace bracket::tools {

/// Kendall's tau of predicted and measured times, for each model and number of ranks.
class Correlations {
 public:
  void add(Rank ranks, const CostModel& model, double predicted, double measured);

  /// Prints a JSON row for each number of ranks, with every model that has a tau over its rows.
  void report() const;

 private:
  struct Pairs {
    std::vector<double> predicted;
    std::vector<double> measured;
  };
  std::map<Rank, std::map<std::string_view, Pairs>> pairs_;  // inner key: the model's name
};

}  // namespace bracket::tools
