#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "bracket/model/range.hpp"

namespace bracket::tools {

/// What predicts a run's time, and its keys in a row of `bracket compare`.
struct PredictionModel {
  const char* name;
  const char* seconds;
  const char* error;
};

std::span<const PredictionModel> prediction_models();

/// Whether a model puts what was measured on so many ranks in the right order: Kendall's tau.
class Correlations {
 public:
  void add(Rank ranks, const PredictionModel& model, double predicted, double measured);

  /// A JSON row for each number of ranks, of the models of which there is a tau over all its rows.
  void report() const;

 private:
  struct Pairs {
    std::vector<double> predicted;
    std::vector<double> measured;
  };
  std::map<Rank, std::map<std::string, Pairs>> pairs_;  // by the model's name
};

}  // namespace bracket::tools
