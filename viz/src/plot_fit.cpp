// SPDX-License-Identifier: MIT

#include <algorithm>
#include <cmath>

#include "bracket/support/text.hpp"
#include "bracket/viz/plot.hpp"
#include "plot_axis.hpp"
#include "utf8.hpp"

namespace bracket::viz {

namespace {

constexpr std::size_t longest_name = 44;

/// Replaces bytes that are not UTF-8, and shortens a name in its middle: both ends tell more.
std::string short_name(const std::string& name) {
  std::vector<std::string> letters;
  for (std::size_t i = 0; i < name.size();) {
    const std::size_t size = character_size(std::string_view(name).substr(i));
    letters.push_back(size > 0 ? name.substr(i, size) : "\ufffd");
    i += std::max<std::size_t>(size, 1);
  }
  std::string all;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    if (letters.size() > longest_name) {
      constexpr std::size_t half = longest_name / 2;
      if (i == half) all += "…";
      if (i >= half && i + half <= letters.size()) continue;
    }
    all += letters[i];
  }
  return all;
}

void shorten(std::vector<std::string>& names) {
  for (std::string& name : names) name = short_name(name);
}

std::size_t points_of(const Plot& plot) {
  std::size_t points = 0;
  for (const PlotSeries& series : plot.series) points += series.points.size();
  return points;
}

/// Keeps every k-th of `all`.
template <class Value>
void keep_every(std::size_t k, std::vector<Value>& all) {
  std::vector<Value> kept;
  for (std::size_t i = 0; i < all.size(); i += k) kept.push_back(std::move(all[i]));
  all = std::move(kept);
}

/// Keeps every k-th category of an axis, and the cells at these.
void thin(Plot& plot, PlotAxis Plot::*axis, std::size_t PlotCell::*place, std::size_t k) {
  std::erase_if(plot.cells, [&](const PlotCell& cell) { return cell.*place % k != 0; });
  for (PlotCell& cell : plot.cells) cell.*place /= k;
  keep_every(k, (plot.*axis).names);
}

void thin_cells(Plot& plot, std::size_t most) {
  const std::size_t before = plot.cells.size();
  while (plot.cells.size() > most) {
    if (plot.x.names.size() >= plot.y.names.size()) {
      thin(plot, &Plot::x, &PlotCell::x, 2);
    } else {
      thin(plot, &Plot::y, &PlotCell::y, 2);
    }
  }
  if (plot.cells.size() < before) {
    plot.note +=
        text("The plot has ", plot.cells.size(), " of ", before, " cells, at equal distances. ");
  }
}

/// Keeps the points at the first categories of the y axis.
void keep_first_rows(Plot& plot) {
  constexpr std::size_t most_rows = 40;
  const std::size_t all = plot.y.names.size();
  if (!plot.cells.empty() || all <= most_rows) return;
  plot.y.names.resize(most_rows);
  for (PlotSeries& series : plot.series) {
    std::erase_if(series.points, [](const PlotPoint& point) { return point.y > most_rows - 1; });
  }
  plot.note += text("The plot has the first ", most_rows, " of ", all, " rows. ");
}

}  // namespace

Plot fit(Plot plot, std::size_t most) {
  std::size_t dropped = 0;
  for (PlotSeries& series : plot.series) {
    dropped += std::erase_if(series.points, [&](const PlotPoint& point) {
      return !shows(plot.x, point.x) || !shows(plot.y, point.y);
    });
    for (PlotPoint& point : series.points) {
      for (const auto& [axis, interval] :
           {std::pair(&plot.x, &point.x_interval), std::pair(&plot.y, &point.y_interval)}) {
        if (!shows(*axis, interval->low) || !shows(*axis, interval->high)) *interval = {};
      }
    }
  }
  dropped += std::erase_if(plot.cells,
                           [&](const PlotCell& cell) { return !shows(plot.colour, cell.value); });
  if (dropped > 0) {
    plot.note += text(dropped, dropped == 1 ? " value is" : " values are",
                      " left out: not a finite number that the axes can show. ");
  }
  keep_first_rows(plot);
  std::erase_if(plot.series, [](const PlotSeries& series) { return series.points.empty(); });
  if (const std::size_t all = plot.series.size(); all > most_series) {
    plot.series.resize(most_series);
    plot.note += text("The plot has the first ", most_series, " of ", all, " series. ");
  }
  if (const std::size_t all = points_of(plot); all > most) {
    const std::size_t k = (all + most - 1) / most;
    for (PlotSeries& series : plot.series) keep_every(k, series.points);
    plot.note += text("The plot has every ", k,
                      k == 2   ? "nd"
                      : k == 3 ? "rd"
                               : "th",
                      " of ", all, " points. ");
  }
  thin_cells(plot, most);
  for (PlotSeries& series : plot.series) series.name = short_name(series.name);
  shorten(plot.x.names);
  shorten(plot.y.names);
  return plot;
}

bool drawable(const Plot& plot) { return !plot.cells.empty() || points_of(plot) > 0; }

bool suit_logarithm(const std::vector<double>& numbers) {
  double least = no_number;
  double most = no_number;
  for (const double number : numbers) {
    if (!std::isfinite(number)) continue;
    if (!(number > 0)) return false;
    least = std::isnan(least) ? number : std::min(least, number);
    most = std::isnan(most) ? number : std::max(most, number);
  }
  return most >= 10 * least;
}

}  // namespace bracket::viz
