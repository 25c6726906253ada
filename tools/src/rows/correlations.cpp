// SPDX-License-Identifier: MIT

#include "rows/correlations.hpp"

#include <cmath>

#include "bracket/support/rank_correlation.hpp"
#include "rows/row_table.hpp"

namespace bracket::tools {

void Correlations::add(Rank ranks, const CostModel& model, double predicted, double measured) {
  Pairs& pairs = pairs_[ranks][model.name];
  pairs.predicted.push_back(predicted);
  pairs.measured.push_back(measured);
}

void Correlations::report() const {
  RowTable rows({}, Form::json_lines);
  for (const auto& [ranks, of_models] : pairs_) {
    nlohmann::ordered_json row{{"ranks", ranks}};
    for (const CostModel& model : cost_models()) {
      const auto pairs = of_models.find(model.name);
      if (pairs == of_models.end()) continue;
      const auto tau = support::kendall_tau(pairs->second.predicted, pairs->second.measured);
      if (tau) row[model.correlation_key()] = std::round(*tau * 1000) / 1000;
    }
    if (row.size() > 1) rows.row(std::move(row));
  }
}

}  // namespace bracket::tools
