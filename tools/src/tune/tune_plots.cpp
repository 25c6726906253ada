// SPDX-License-Identifier: MIT

#include "tune/tune_plots.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace bracket::tools {

namespace {

const std::vector<std::string> choice_keys{"order", "plan", "distribution"};

viz::PlotAxis messages_axis(const PlottedRows& rows) {
  viz::PlotAxis axis = setting_axis(rows, "messages", "plan's messages");
  axis.at_points = false;
  return axis;
}

/// Returns the points of which no other has as few messages and as low a cost.
std::vector<viz::PlotPoint> pareto_points(const PlottedRows& rows, const std::string& cost) {
  std::vector<viz::PlotPoint> points;
  for (const auto& row : rows) {
    points.push_back({.x = number_in(row, "messages"), .y = number_in(row, cost)});
  }
  std::erase_if(points, [](const viz::PlotPoint& point) {
    return !std::isfinite(point.x) || !std::isfinite(point.y);
  });
  std::sort(points.begin(), points.end(), [](const viz::PlotPoint& a, const viz::PlotPoint& b) {
    return std::pair(a.x, a.y) < std::pair(b.x, b.y);
  });
  std::vector<viz::PlotPoint> front;
  for (const viz::PlotPoint& point : points) {
    if (front.empty() || point.y < front.back().y) front.push_back(point);
  }
  // The last step ends where the points do.
  if (!front.empty()) front.push_back({.x = points.back().x, .y = front.back().y});
  return front;
}

}  // namespace

Measure cost_measure(const TuneOptions& options) {
  return {options.model().tuned.key, options.model().knows.paths
                                         ? "time by " + std::string(options.model().title)
                                         : "plan's score"};
}

std::vector<viz::Plot> candidate_plots(const PlottedRows& rows, const Measure& cost) {
  const auto names = RowNames::by(rows, choice_keys);
  // A colour for each kind of plan: a tuning tries many parameters.
  PlottedRows kinds = rows;
  for (auto& row : kinds) {
    const std::string plan = row.value("plan", "");
    row["plan"] = plan.substr(0, plan.find(':'));
  }
  viz::Plot by_messages = lines_over(kinds, messages_axis(rows), "messages", cost,
                                     RowNames::by(kinds, {"plan"}), viz::PlotUnit::seconds);
  by_messages.y.from_zero = false;
  by_messages.title = "Cost over messages, with the Pareto front";
  for (viz::PlotSeries& series : by_messages.series) series.form = viz::PlotSeries::Form::points;
  // The first series: `fit` keeps the first ones, and others are drawn over it.
  by_messages.series.insert(by_messages.series.begin(), {.name = "Pareto front",
                                                         .form = viz::PlotSeries::Form::steps,
                                                         .points = pareto_points(rows, cost.key)});
  viz::Plot by_row = points_by_row(rows, {cost}, names, viz::PlotUnit::seconds);
  by_row.x.from_zero = false;
  by_row.title = "Cost of each candidate, the best first";
  if (const auto bounds = numbers_in(rows, "bound_seconds"); !bounds.empty()) {
    by_row.x_level = viz::PlotLevel{bounds.front(), "proven lower bound"};
    by_row.series.front().name = "candidates";
  }
  return {std::move(by_messages), std::move(by_row)};
}

std::vector<viz::Plot> front_plots(const PlottedRows& rows, const Measure& cost) {
  const auto names = RowNames::by(rows, {});
  viz::Plot shares =
      lines_over(rows, messages_axis(rows), "messages",
                 {"largest_share", "largest share in elements"}, names, viz::PlotUnit::number);
  shares.y.from_zero = false;
  shares.title = "Pareto front of the largest share and the messages";
  for (viz::PlotSeries& series : shares.series) series.form = viz::PlotSeries::Form::steps;
  viz::Plot costs =
      lines_over(rows, messages_axis(rows), "messages", cost, names, viz::PlotUnit::seconds);
  costs.title = "Cost along the Pareto front";
  return {std::move(shares), std::move(costs)};
}

std::vector<viz::Plot> range_plots(const PlottedRows& rows, const Measure& cost) {
  const auto names = RowNames::by(rows, choice_keys);
  viz::Plot plot =
      lines_over(rows, setting_axis(rows, "elements", "elements N, with the part's range"),
                 "elements", cost, names, viz::PlotUnit::seconds);
  plot.title = "Cost of the choice for each part of the range";
  plot.y.from_zero = false;
  for (viz::PlotSeries& series : plot.series) {
    series.form = viz::PlotSeries::Form::points;
    for (viz::PlotPoint& point : series.points) {
      const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& other) {
        return number_in(other, "elements") == point.x && names.of(other) == series.name;
      });
      if (row != rows.end()) point.x_interval = {number_in(*row, "from"), number_in(*row, "to")};
    }
  }
  return {std::move(plot)};
}

}  // namespace bracket::tools
