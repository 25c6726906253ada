#include "rows/correlations.hpp"

#include <cmath>

#include "bracket/support/error.hpp"
#include "bracket/support/rank_correlation.hpp"
#include "rows/report.hpp"

namespace bracket::tools {

namespace {

constexpr PredictionModel models[] = {
    {"score", "score_seconds", "score_error"},
    {"LogGP", "loggp_seconds", "loggp_error"},
    {"LogGOPS", "loggops_seconds", "loggops_error"},
    {"SimGrid", "simgrid_seconds", "simgrid_error"},
    {"SMPI", "smpi_seconds", "smpi_error"},
};

std::string key_of(const PredictionModel& model) { return text("kendall_tau_", model.seconds); }

}  // namespace

std::span<const PredictionModel> prediction_models() { return models; }

void Correlations::add(Rank ranks, const PredictionModel& model, double predicted,
                       double measured) {
  Pairs& pairs = pairs_[ranks][model.name];
  pairs.predicted.push_back(predicted);
  pairs.measured.push_back(measured);
}

void Correlations::report() const {
  Report rows({}, Form::json_lines);
  for (const auto& [ranks, of_models] : pairs_) {
    nlohmann::ordered_json row{{"ranks", ranks}};
    for (const PredictionModel& model : models) {
      const auto pairs = of_models.find(model.name);
      if (pairs == of_models.end()) continue;
      const auto tau = kendall_tau(pairs->second.predicted, pairs->second.measured);
      if (tau) row[key_of(model)] = std::round(*tau * 1000) / 1000;
    }
    if (row.size() > 1) rows.row(std::move(row));
  }
}

}  // namespace bracket::tools
