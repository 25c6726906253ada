// SPDX-License-Identifier: MIT

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bracket/viz/plot.hpp"
#include "report/row_names.hpp"

/// Plots of rows, by their keys.
namespace bracket::tools {

/// A number of each row, with the keys of its interval if it has one.
struct Measure {
  std::string key;
  std::string name;
  std::string low{};
  std::string high{};
};

/// The measured time with its 95 % interval.
Measure measured_time(const std::string& name = "measured");

/// Lines of a number over another number of the rows, `x`. A series has the rows of one name.
viz::Plot lines_over(const PlottedRows& rows, const viz::PlotAxis& axis, const std::string& x,
                     const Measure& measure, const RowNames& names, viz::PlotUnit unit);

/// Lines of several numbers over another number of the rows, `x`, with a series for each number.
viz::Plot measures_over(const PlottedRows& rows, const viz::PlotAxis& axis, const std::string& x,
                        const std::vector<Measure>& measures, viz::PlotUnit unit);

/// Points of several numbers of each row, with a line of the plot for each row.
viz::Plot points_by_row(const PlottedRows& rows, const std::vector<Measure>& measures,
                        const RowNames& names, viz::PlotUnit unit);

/// A heat map of a number of the rows over two others, `x` and `y`. Both axes have a cell for each
/// different number.
viz::Plot heat_map(const PlottedRows& rows, const viz::PlotAxis& x_axis, const std::string& x,
                   const viz::PlotAxis& y_axis, const std::string& y, const Measure& measure,
                   viz::PlotUnit unit);

/// Predictions of each model over the measured time, with its interval.
viz::Plot predicted_against_measured(const PlottedRows& rows);

/// Error of each model: a line of the plot for each model, and a point for each row.
viz::Plot errors_by_model(const PlottedRows& rows);

/// Error of each model over a number of the rows, such as their size.
viz::Plot errors_over(const PlottedRows& rows, const viz::PlotAxis& axis, const std::string& x);

/// Median and 90th percentile of each model's errors, from the rows of the scorecards.
viz::Plot typical_errors(const PlottedRows& cards);

/// Time on one rank divided by the time on p ranks, and the line of p. Empty without rows on one
/// rank and on several.
std::optional<viz::Plot> speedup(const PlottedRows& rows, const Measure& measure,
                                 const RowNames& names);

/// An axis of numbers that is logarithmic if these suit a logarithm, with ticks at them.
viz::PlotAxis setting_axis(const PlottedRows& rows, const std::string& key,
                           const std::string& title, viz::PlotUnit unit = viz::PlotUnit::number);

}  // namespace bracket::tools
