// SPDX-License-Identifier: MIT

#include "compare/compare_plots.hpp"

#include <string>
#include <utility>

#include "models/cost_models.hpp"
#include "report/model_tables.hpp"

namespace bracket::tools {

std::vector<viz::Plot> compare_plots(const PlottedRows& rows) {
  std::vector<viz::Plot> plots;
  std::vector<Measure> times;
  if (any_has(rows, measured_time().key)) {
    plots.push_back(predicted_against_measured(rows));
    plots.push_back(errors_by_model(rows));
    times.push_back(measured_time());
  }
  for (const CostModel& model : cost_models()) {
    if (!model.knows.paths || !any_has(rows, model.seconds.key)) continue;
    times.push_back({model.seconds.key, std::string(model.title)});
  }
  if (times.empty()) return plots;
  const auto names = RowNames::by(rows, schedule_keys);
  if (numbers_in(rows, "ranks").size() < 2) {
    plots.push_back(points_by_row(rows, times, names, viz::PlotUnit::seconds));
    plots.back().title = "Time of each plan and distribution";
    return plots;
  }
  for (const Measure& time : times) {
    plots.push_back(lines_over(rows, setting_axis(rows, "ranks", "ranks p"), "ranks", time, names,
                               viz::PlotUnit::seconds));
    plots.back().title = "Time over ranks, " + time.name;
    plots.back().y.title = "time";
  }
  if (auto plot = speedup(rows, times.front(), names)) plots.push_back(std::move(*plot));
  return plots;
}

void report_comparison(Report& report, const RowTable& table, const Scorecards& cards,
                       const std::string& machine) {
  if (!report.wanted()) return;
  const bool measured = any_has(table.rows(), measured_time().key);
  report.fact("machine", machine);
  report.add({.title = measured ? "Predictions and measurements" : "Predictions",
              .columns = table.columns(),
              .rows = table.rows(),
              .plots = compare_plots(table.rows())});
  if (auto judged = scorecard_table(cards)) report.add(std::move(*judged));
  report.write();
}

}  // namespace bracket::tools
