// SPDX-License-Identifier: MIT

#include "simulate/simulate_plots.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "bracket/support/text.hpp"
#include "simulate/simulate_options.hpp"

namespace bracket::tools {

namespace {

/// A setting that a sweep changes.
struct SweptSetting {
  std::string key;
  viz::PlotAxis axis;
};

/// Returns the swept settings that are different numbers in the rows, in the sequence of the
/// sweeps.
std::vector<SweptSetting> swept_numbers(const PlottedRows& rows, const std::vector<Sweep>& sweeps) {
  std::vector<SweptSetting> settings;
  for (const Sweep& sweep : sweeps) {
    const std::string option = sweep.option == "N"   ? "elements"
                               : sweep.option == "p" ? "ranks"
                                                     : sweep.option;
    for (const auto& [name, column] : setting_columns()) {
      if (name != option) continue;
      const std::string& key = column.key;
      const bool all_numbers = std::all_of(rows.begin(), rows.end(), [&](const auto& row) {
        return std::isfinite(number_in(row, key));
      });
      if (!all_numbers || numbers_in(rows, key).size() < 2) continue;
      const std::string symbol = column.heading.substr(0, column.heading.find(" ["));
      const std::string heading = key == "elements" ? "elements N"
                                  : key == "ranks"  ? "ranks p"
                                                    : symbol;
      settings.push_back({key, setting_axis(rows, key, heading, unit_of(key))});
    }
  }
  return settings;
}

/// Heat maps over two swept numbers, one for each combination of the other settings.
void add_heat_maps(std::vector<viz::Plot>& plots, const PlottedRows& rows,
                   const SweptSetting& across, const SweptSetting& up, const Measure& measure,
                   viz::PlotUnit unit) {
  constexpr std::size_t most_maps = 4;
  const auto names = RowNames::without(rows, {across.key, up.key});
  std::vector<std::pair<std::string, PlottedRows>> groups;
  for (const auto& row : rows) {
    const std::string name = names.of(row);
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const auto& other) { return other.first == name; });
    if (group == groups.end()) group = groups.insert(groups.end(), {name, {}});
    group->second.push_back(row);
  }
  for (std::size_t i = 0; i < std::min(groups.size(), most_maps); ++i) {
    plots.push_back(
        heat_map(groups[i].second, across.axis, across.key, up.axis, up.key, measure, unit));
    plots.back().title =
        groups.size() == 1 ? measure.name : text(measure.name, ", ", groups[i].first);
    if (i == 0 && groups.size() > most_maps) {
      plots.back().note = text("The first ", most_maps, " of ", groups.size(), " maps are drawn. ");
    }
  }
}

void add_ends(std::vector<viz::Plot>& plots, const PlottedRows& rows) {
  const auto names = RowNames::without(rows, {});
  viz::Plot plot{.title = "End of each rank",
                 .x = {.title = "rank", .from_zero = false, .at_points = true},
                 .y = {.title = "time", .unit = viz::PlotUnit::seconds}};
  for (const auto& row : rows) {
    const auto found = row.find("finish_seconds");
    if (found == row.end()) continue;
    viz::PlotSeries series{.name = names.of(row)};
    double rank = 0;
    for (const auto& seconds : *found) {
      series.points.push_back({.x = rank++, .y = seconds.template get<double>()});
    }
    plot.series.push_back(std::move(series));
  }
  if (!plot.series.empty()) plots.push_back(std::move(plot));
}

}  // namespace

std::vector<viz::Plot> simulate_plots(const PlottedRows& rows, const std::vector<Sweep>& sweeps) {
  std::vector<viz::Plot> plots;
  const auto swept = swept_numbers(rows, sweeps);
  const std::array measures{
      std::pair(Measure{"simulated_seconds", "makespan"}, viz::PlotUnit::seconds),
      std::pair(Measure{"joules", "energy in joules"}, viz::PlotUnit::number)};
  for (const auto& [measure, unit] : measures) {
    if (!any_has(rows, measure.key)) continue;
    if (swept.empty()) {
      if (rows.size() < 2) continue;
      const auto names = RowNames::without(rows, {});
      plots.push_back(points_by_row(rows, {measure}, names, unit));
      plots.back().title = text(measure.name, " of each row");
      continue;
    }
    const SweptSetting& first = swept.front();
    constexpr std::size_t most_lines = 12;
    const bool as_map = swept.size() > 1;
    if (as_map) add_heat_maps(plots, rows, first, swept[1], measure, unit);
    if (as_map && numbers_in(rows, swept[1].key).size() > most_lines) continue;
    plots.push_back(lines_over(rows, first.axis, first.key, measure,
                               RowNames::without(rows, {first.key}), unit));
    plots.back().title = text(measure.name, " over ", first.axis.title);
  }
  add_ends(plots, rows);
  return plots;
}

std::optional<viz::Plot> timeline_plot(const Timeline& timeline, Rank ranks,
                                       const std::string& name) {
  constexpr std::size_t most_intervals = 700;
  if (ranks > most_timeline_ranks || timeline.size() > most_intervals) return {};
  viz::Plot plot{.title = name.empty() ? "Timeline" : "Timeline, " + name,
                 .x = {.title = "time", .unit = viz::PlotUnit::seconds},
                 .y = {.title = "rank"}};
  for (const auto& [kind, what] :
       {std::pair(Workload::Kind::compute, "computes"), std::pair(Workload::Kind::send, "sends"),
        std::pair(Workload::Kind::recv, "receives")}) {
    viz::PlotSeries series{.name = what, .form = viz::PlotSeries::Form::spans};
    for (const Interval& interval : timeline) {
      if (interval.kind != kind) continue;
      series.points.push_back(
          {.x = seconds_of(interval.start),
           .y = static_cast<double>(interval.rank),
           .x_interval = {seconds_of(interval.start), seconds_of(interval.end)}});
    }
    plot.series.push_back(std::move(series));
  }
  for (Rank rank = 0; rank < ranks; ++rank) plot.y.names.push_back(std::to_string(rank));
  return plot;
}

}  // namespace bracket::tools
