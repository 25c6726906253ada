// SPDX-License-Identifier: MIT

#pragma once

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Plots of numbers. gnuplot draws them; this library writes its input and reads its SVG.
namespace bracket::viz {

inline constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

/// An interval around a number; NaN if there is none.
struct PlotInterval {
  double low = no_number;
  double high = no_number;
};

struct PlotPoint {
  double x = no_number;
  double y = no_number;
  PlotInterval x_interval{};
  PlotInterval y_interval{};
};

/// Points with one colour, marker and line style.
struct PlotSeries {
  enum class Form {
    points,
    lines,  ///< points with lines between them, in their sequence
    steps,  ///< points with a staircase between them, horizontal first
    spans,  ///< a bar from the low to the high end of each point's x interval
  };
  std::string name{};
  Form form = Form::points;
  std::vector<PlotPoint> points{};
};

/// Unit of an axis. It determines the texts at its ticks.
enum class PlotUnit {
  number,
  seconds,
  bytes,
  share,  ///< shown in percent
};

/// Formats a number with its unit, as in "2.5 µs", "64 KiB", "504 850" or "12 %".
std::string tick_text(PlotUnit unit, double number);

struct PlotAxis {
  std::string title{};
  PlotUnit unit = PlotUnit::number;
  bool logarithmic = false;
  bool from_zero = true;   ///< whether an axis of numbers that is not logarithmic has its 0
  bool at_points = false;  ///< whether ticks are at the points' numbers, if these are few
  /// Categories, at the positions 0, 1, ...; the y axis has the first one at the top. Empty for an
  /// axis of numbers.
  std::vector<std::string> names{};
};

/// A cell of a heat map at a category of both axes.
struct PlotCell {
  std::size_t x = 0;
  std::size_t y = 0;
  double value = no_number;
};

/// A horizontal or vertical line at a number, with its meaning.
struct PlotLevel {
  double value = no_number;
  std::string name{};
};

/// A plot: series of points, or cells of a heat map.
struct Plot {
  std::string title{};
  PlotAxis x{};
  PlotAxis y{};
  std::vector<PlotSeries> series{};
  std::string diagonal{};              ///< name of the line y = x; empty: not drawn
  std::optional<PlotLevel> x_level{};  ///< vertical line
  std::optional<PlotLevel> y_level{};  ///< horizontal line
  std::vector<PlotCell> cells{};       ///< of a heat map, whose axes have categories
  PlotAxis colour{};                   ///< values of the cells
  /// Says what is left out, in sentences. Empty if nothing is.
  std::string note{};
};

/// Largest numbers of series and of points or cells in a plot of `fit`.
inline constexpr std::size_t most_series = 16;

/// Removes points that cannot be drawn: numbers that are not finite, and, on a logarithmic axis,
/// not positive. Keeps the first `most_series` series, and every k-th point or cell so that at most
/// `most` remain. Describes both in the note. Shortens long names.
Plot fit(Plot plot, std::size_t most);

/// Whether there is anything to draw.
bool drawable(const Plot& plot);

/// Whether numbers are better shown on a logarithmic axis: all are positive, and the largest is at
/// least 10 times the smallest.
bool suit_logarithm(const std::vector<double>& numbers);

/// Returns the numbers of a plot as comma-separated values. The first line names the columns.
std::string plot_csv(const Plot& plot);

/// Returns commands for gnuplot 5.4 that draw a plot of `fit` with the numbers of `plot_csv`.
/// `name` has letters, digits and hyphens: the commands read NAME.csv and write NAME.svg.
std::string plot_script(const Plot& plot, const std::string& name);

/// Returns commands that draw the same plot, without a title, with the numbers among them. gnuplot
/// writes it to its output.
std::string page_script(const Plot& plot, const std::string& name);

/// Makes an SVG element of gnuplot for a page: its colours become those of the page's style sheet,
/// and its identifiers begin with `name`. `title` describes the picture to readers without sight.
/// Throws `Error` if `svg` is not an SVG document.
std::string page_svg(const std::string& svg, const std::string& name, const std::string& title);

}  // namespace bracket::viz
