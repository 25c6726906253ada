// SPDX-License-Identifier: MIT

#include "validate/validate_plots.hpp"

namespace bracket::tools {

std::vector<viz::Plot> validate_plots(const PlottedRows& rows) {
  std::vector<viz::Plot> plots{predicted_against_measured(rows)};
  if (any_has(rows, "elements")) {
    plots.push_back(errors_over(rows, setting_axis(rows, "elements", "elements N"), "elements"));
  }
  if (any_has(rows, "bytes")) {
    plots.push_back(errors_over(
        rows, setting_axis(rows, "bytes", "vector size", viz::PlotUnit::bytes), "bytes"));
  }
  if (numbers_in(rows, "ranks").size() > 1) {
    plots.push_back(errors_over(rows, setting_axis(rows, "ranks", "ranks p"), "ranks"));
  }
  plots.push_back(errors_by_model(rows));
  return plots;
}

}  // namespace bracket::tools
