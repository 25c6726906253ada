// SPDX-License-Identifier: MIT

#include "report/row_plots.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "models/cost_models.hpp"

namespace bracket::tools {

namespace {

using viz::Plot;
using viz::PlotAxis;
using viz::PlotPoint;
using viz::PlotSeries;
using viz::PlotUnit;

PlotPoint point_of(const nlohmann::ordered_json& row, double x, const Measure& measure) {
  PlotPoint point{.x = x, .y = number_in(row, measure.key)};
  if (!measure.low.empty()) {
    point.y_interval = {number_in(row, measure.low), number_in(row, measure.high)};
  }
  return point;
}

/// Adds a point to the series of this name, which is made if there is none.
class SeriesByName {
 public:
  explicit SeriesByName(PlotSeries::Form form) : form_(form) {}

  void add(const std::string& name, const PlotPoint& point) {
    const auto [place, is_new] = places_.emplace(name, series_.size());
    if (is_new) series_.push_back({name, form_, {}});
    series_[place->second].points.push_back(point);
  }

  /// Returns the series with their points in ascending sequence of x.
  std::vector<PlotSeries> sorted() {
    for (PlotSeries& series : series_) {
      std::stable_sort(series.points.begin(), series.points.end(),
                       [](const PlotPoint& a, const PlotPoint& b) { return a.x < b.x; });
    }
    return std::move(series_);
  }

 private:
  PlotSeries::Form form_;
  std::vector<PlotSeries> series_;
  std::map<std::string, std::size_t> places_;
};

/// The numbers at the y axis, with the ends of their intervals.
std::vector<double> all_y(const Plot& plot) {
  std::vector<double> numbers;
  for (const PlotSeries& series : plot.series) {
    for (const PlotPoint& point : series.points) {
      numbers.insert(numbers.end(), {point.y, point.y_interval.low, point.y_interval.high});
    }
  }
  return numbers;
}

/// Models of which any row has a number under the key of `key_of`.
template <class KeyOf>
std::vector<std::pair<std::string, Measure>> models_in(const PlottedRows& rows, KeyOf key_of) {
  std::vector<std::pair<std::string, Measure>> models;
  for (const CostModel& model : cost_models()) {
    const std::string key = key_of(model);
    // A score is not a prediction of the time.
    if (!model.knows.paths || !any_has(rows, key)) continue;
    models.emplace_back(key, Measure{key, std::string(model.title)});
  }
  return models;
}

std::string error_key_of(const CostModel& model) { return model.error_key(); }

}  // namespace

Measure measured_time(const std::string& name) {
  return {"measured_seconds", name, "measured_low_seconds", "measured_high_seconds"};
}

Plot lines_over(const PlottedRows& rows, const PlotAxis& axis, const std::string& x,
                const Measure& measure, const RowNames& names, PlotUnit unit) {
  SeriesByName series(PlotSeries::Form::lines);
  for (const auto& row : rows) {
    if (!std::isfinite(number_in(row, measure.key))) continue;
    series.add(names.of(row), point_of(row, number_in(row, x), measure));
  }
  Plot plot;
  plot.x = axis;
  plot.series = series.sorted();
  plot.y = {.title = measure.name, .unit = unit, .logarithmic = viz::suit_logarithm(all_y(plot))};
  return plot;
}

Plot measures_over(const PlottedRows& rows, const PlotAxis& axis, const std::string& x,
                   const std::vector<Measure>& measures, PlotUnit unit) {
  SeriesByName series(PlotSeries::Form::lines);
  for (const Measure& measure : measures) {
    for (const auto& row : rows) {
      if (!std::isfinite(number_in(row, measure.key))) continue;
      series.add(measure.name, point_of(row, number_in(row, x), measure));
    }
  }
  Plot plot;
  plot.x = axis;
  plot.series = series.sorted();
  plot.y = {.title = "time", .unit = unit, .logarithmic = viz::suit_logarithm(all_y(plot))};
  return plot;
}

Plot points_by_row(const PlottedRows& rows, const std::vector<Measure>& measures,
                   const RowNames& names, PlotUnit unit) {
  Plot plot;
  std::vector<double> numbers;
  for (const Measure& measure : measures) {
    PlotSeries& series = plot.series.emplace_back();
    series.name = measures.size() > 1 ? measure.name : "";
    for (std::size_t i = 0; i < rows.size(); ++i) {
      PlotPoint point = point_of(rows[i], 0, measure);
      point.x = std::exchange(point.y, static_cast<double>(i));
      point.x_interval = std::exchange(point.y_interval, {});
      numbers.insert(numbers.end(), {point.x, point.x_interval.low, point.x_interval.high});
      series.points.push_back(point);
    }
  }
  for (const auto& row : rows) plot.y.names.push_back(names.of(row));
  plot.x = {.title = measures.size() == 1 ? measures.front().name : "",
            .unit = unit,
            .logarithmic = viz::suit_logarithm(numbers)};
  return plot;
}

Plot heat_map(const PlottedRows& rows, const PlotAxis& x_axis, const std::string& x,
              const PlotAxis& y_axis, const std::string& y, const Measure& measure, PlotUnit unit) {
  Plot plot{.x = {.title = x_axis.title}, .y = {.title = y_axis.title}};
  const auto xs = numbers_in(rows, x);
  auto ys = numbers_in(rows, y);
  std::reverse(ys.begin(), ys.end());  // the first category is at the top
  for (const double number : xs) plot.x.names.push_back(viz::tick_text(x_axis.unit, number));
  for (const double number : ys) plot.y.names.push_back(viz::tick_text(y_axis.unit, number));
  std::vector<double> values;
  for (const auto& row : rows) {
    const auto column = std::find(xs.begin(), xs.end(), number_in(row, x));
    const auto line = std::find(ys.begin(), ys.end(), number_in(row, y));
    const double value = number_in(row, measure.key);
    if (column == xs.end() || line == ys.end() || !std::isfinite(value)) continue;
    values.push_back(value);
    plot.cells.push_back({static_cast<std::size_t>(column - xs.begin()),
                          static_cast<std::size_t>(line - ys.begin()), value});
  }
  plot.colour = {.title = measure.name, .unit = unit, .logarithmic = viz::suit_logarithm(values)};
  return plot;
}

Plot predicted_against_measured(const PlottedRows& rows) {
  Plot plot{.title = "Predicted against measured time",
            .x = {.title = "measured, with its 95 % interval", .unit = PlotUnit::seconds},
            .y = {.title = "predicted", .unit = PlotUnit::seconds}};
  std::vector<double> numbers;
  for (const auto& [key, model] :
       models_in(rows, [](const CostModel& one) { return std::string(one.seconds.key); })) {
    PlotSeries series{.name = model.name};
    for (const auto& row : rows) {
      PlotPoint point = point_of(row, number_in(row, key), measured_time());
      std::swap(point.x, point.y);
      std::swap(point.x_interval, point.y_interval);
      if (!std::isfinite(point.x) || !std::isfinite(point.y)) continue;
      numbers.insert(numbers.end(), {point.x, point.y});
      series.points.push_back(point);
    }
    plot.series.push_back(std::move(series));
  }
  plot.x.logarithmic = plot.y.logarithmic = viz::suit_logarithm(numbers);
  plot.diagonal = "predicted = measured";
  return plot;
}

Plot errors_by_model(const PlottedRows& rows) {
  Plot plot{.title = "Error of each model, a point for each row",
            .x = {.title = "predicted / measured - 1", .unit = PlotUnit::share},
            .y = {}};
  for (const auto& [key, model] : models_in(rows, error_key_of)) {
    PlotSeries series;
    const auto line = static_cast<double>(plot.y.names.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      // Spread the points of a model, so that equal errors are seen.
      const double spread = std::fmod(0.618 * static_cast<double>(i), 1.0) - 0.5;
      series.points.push_back({.x = number_in(rows[i], key), .y = line + 0.5 * spread});
    }
    plot.y.names.push_back(model.name);
    plot.series.push_back(std::move(series));
  }
  plot.x_level = viz::PlotLevel{0, ""};
  return plot;
}

Plot errors_over(const PlottedRows& rows, const PlotAxis& axis, const std::string& x) {
  Plot plot{.title = "Error by " + axis.title, .x = axis, .y = {}};
  for (const auto& [key, model] : models_in(rows, error_key_of)) {
    PlotSeries series{.name = model.name};
    for (const auto& row : rows) {
      series.points.push_back({.x = number_in(row, x), .y = number_in(row, key)});
    }
    plot.series.push_back(std::move(series));
  }
  plot.y = {.title = "predicted / measured - 1", .unit = PlotUnit::share};
  plot.y_level = viz::PlotLevel{0, ""};
  return plot;
}

Plot typical_errors(const PlottedRows& cards) {
  Plot plot{.title = "Median and 90th percentile of |error|",
            .x = {.title = "|predicted / measured - 1|", .unit = PlotUnit::share},
            .y = {}};
  for (const auto& [key, name] :
       {std::pair("median_error", "median"), std::pair("p90_error", "nine of ten below")}) {
    PlotSeries series{.name = name};
    for (std::size_t i = 0; i < cards.size(); ++i) {
      series.points.push_back({.x = number_in(cards[i], key), .y = static_cast<double>(i)});
    }
    plot.series.push_back(std::move(series));
  }
  for (const auto& card : cards) plot.y.names.push_back(card.value("model", ""));
  return plot;
}

std::optional<Plot> speedup(const PlottedRows& rows, const Measure& measure,
                            const RowNames& names) {
  std::map<std::string, double> alone;
  for (const auto& row : rows) {
    if (number_in(row, "ranks") == 1) alone.emplace(names.of(row), number_in(row, measure.key));
  }
  const auto ranks = numbers_in(rows, "ranks");
  if (alone.empty() || ranks.size() < 2) return {};
  SeriesByName series(PlotSeries::Form::lines);
  for (const auto& row : rows) {
    const auto one = alone.find(names.of(row));
    if (one == alone.end()) continue;
    const double seconds = number_in(row, measure.key);
    PlotPoint point{.x = number_in(row, "ranks"), .y = one->second / seconds};
    if (!measure.low.empty()) {
      point.y_interval = {one->second / number_in(row, measure.high),
                          one->second / number_in(row, measure.low)};
    }
    if (std::isfinite(point.y)) series.add(one->first, point);
  }
  Plot plot{.title = "Speedup over one rank, " + measure.name,
            .x = setting_axis(rows, "ranks", "ranks p"),
            .y = {.title = "time on one rank / time on p ranks"}};
  plot.series = series.sorted();
  if (plot.series.empty()) return {};
  plot.diagonal = "p";
  plot.y.logarithmic = plot.x.logarithmic;
  return plot;
}

PlotAxis setting_axis(const PlottedRows& rows, const std::string& key, const std::string& title,
                      PlotUnit unit) {
  return {.title = title,
          .unit = unit,
          .logarithmic = viz::suit_logarithm(numbers_in(rows, key)),
          .from_zero = false,
          .at_points = true};
}

}  // namespace bracket::tools
