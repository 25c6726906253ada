#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "bracket/model/range.hpp"
#include "cost/cost_models.hpp"

namespace bracket::tools {

/// Whether a model puts what was measured on so many ranks in the right order: Kendall's tau.
class Correlations {
 public:
  void add(Rank ranks, const CostModel& model, double predicted, double measured);

  /// A JSON row for each number of ranks, of the models of which there is a tau over all its rows.
  void report() const;

 private:
  struct Pairs {
    std::vector<double> predicted;
    std::vector<double> measured;
  };
  std::map<Rank, std::map<std::string_view, Pairs>> pairs_;  // by the model's name
};

}  // namespace bracket::tools
