// SPDX-License-Identifier: MIT

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <sstream>

#include "bracket/support/text.hpp"
#include "bracket/viz/plot.hpp"
#include "inks.hpp"
#include "plot_axis.hpp"

namespace bracket::viz {

namespace {

constexpr int plot_width = 760;
constexpr int row_height = 22;
constexpr std::size_t most_rows_with_texts = 40;  // with a text at the axis
constexpr const char* columns_of_points = "series,x,x_low,x_high,y,y_low,y_high,name";
constexpr const char* columns_of_cells = "x,y,value,x_name,y_name,label";

/// Quotes a text for gnuplot. Between single quotes, only the quote itself has a meaning.
std::string gnuplot_text(const std::string& words) {
  std::string all = "'";
  for (const char c : words) {
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) {
      all += ' ';
    } else {
      all += c;
      if (c == '\'') all += c;
    }
  }
  return all + "'";
}

/// Quotes the text of a tick, in which gnuplot expects the format of a number.
std::string gnuplot_tick(const std::string& words) {
  std::string all;
  for (const char c : words) {
    all += c;
    if (c == '%') all += c;
  }
  return gnuplot_text(all);
}

/// Quotes a cell that ends a line of comma-separated values.
std::string csv_quoted(const std::string& words) {
  std::string all = "\"";
  for (const char c : words) {
    if (static_cast<unsigned char>(c) < ' ') {
      all += ' ';
    } else {
      all += c;
      if (c == '"') all += c;
    }
  }
  return all + '"';
}

/// Writes the fewest digits that give the same number again; nothing for a number that is not
/// finite.
std::string written(double number) {
  if (!std::isfinite(number)) return "";
  std::array<char, 32> digits{};
  char* const last = digits.data() + digits.size();
  // Without an exponent, gnuplot reads these as integers of 64 bits, which overflow.
  constexpr double too_long = 0x1p63;
  const auto [end, _] = std::abs(number) < too_long ? std::to_chars(digits.data(), last, number)
                                                    : std::to_chars(digits.data(), last, number,
                                                                    std::chars_format::scientific);
  return {digits.data(), end};
}

bool any_interval(const PlotSeries& series, PlotInterval PlotPoint::*interval) {
  return std::any_of(series.points.begin(), series.points.end(), [&](const PlotPoint& point) {
    return std::isfinite((point.*interval).low) && std::isfinite((point.*interval).high);
  });
}

/// All numbers that an axis shows.
std::vector<double> numbers_of(const Plot& plot, double PlotPoint::*place,
                               PlotInterval PlotPoint::*interval,
                               const std::optional<PlotLevel>& level) {
  std::vector<double> numbers;
  for (const PlotSeries& series : plot.series) {
    for (const PlotPoint& point : series.points) {
      numbers.push_back(point.*place);
      numbers.push_back((point.*interval).low);
      numbers.push_back((point.*interval).high);
    }
  }
  if (level) numbers.push_back(level->value);
  return numbers;
}

class Script {
 public:
  Script(const Plot& plot, std::string data) : plot_(plot), data_(std::move(data)) {
    auto xs = numbers_of(plot, &PlotPoint::x, &PlotPoint::x_interval, plot.x_level);
    auto ys = numbers_of(plot, &PlotPoint::y, &PlotPoint::y_interval, plot.y_level);
    // Both axes of a diagonal show the same numbers, unless one has ticks at its own.
    if (!plot.diagonal.empty() && !plot.x.at_points) {
      const auto only_xs = xs;
      xs.insert(xs.end(), ys.begin(), ys.end());
      ys.insert(ys.end(), only_xs.begin(), only_xs.end());
    }
    x_ = scale_of(plot.x, xs);
    y_ = scale_of(plot.y, ys);
  }

  [[nodiscard]] static std::string terminal(const Plot& plot, const std::string& name) {
    std::string prefix = name;  // of identifiers
    std::replace(prefix.begin(), prefix.end(), '-', '_');
    return text("set terminal svg size ", plot_width, ",", height(plot),
                " dynamic noenhanced font 'sans-serif,14' linewidth 1.2 name '", prefix, "'\n");
  }

  /// Colours, markers and dashes of series. Each second marker is open, so that a point below it is
  /// seen.
  [[nodiscard]] std::string style() const {
    std::ostringstream out;
    out << "set encoding utf8\nset datafile separator comma\n";
    for (std::size_t i = 0; i < series_inks.size(); ++i) {
      constexpr int markers[] = {7, 4, 9, 12, 5, 8, 13, 6};
      constexpr int dashes[] = {1, 2, 4, 5, 1, 2, 4, 5};
      out << text("set linetype ", i + 1, " lc rgb '", series_inks[i].light, "' lw 1.5 pt ",
                  markers[i], " ps 0.8 dt ", dashes[i], '\n');
    }
    // The second eight have the colours of the first, with other markers and dashes.
    for (std::size_t i = 0; i < series_inks.size(); ++i) {
      constexpr int markers[] = {4, 7, 12, 9, 8, 5, 6, 13};
      out << text("set linetype ", i + 9, " lc rgb '", series_inks[i].light, "' lw 1.5 pt ",
                  markers[i], " ps 0.8 dt 3\n");
    }
    out << text("set border 3 lc rgb 'black'\nset tics nomirror out scale 0.6\nset grid lc rgb '",
                grid_ink.light, "' lw 0.8 dt solid\nset errorbars 0.6\nset samples 2\n");
    return out.str();
  }

  [[nodiscard]] std::string body() const {
    std::string all = axis("x", plot_.x, x_) + axis("y", plot_.y, y_);
    return all + (plot_.cells.empty() ? lines() : cells());
  }

 private:
  static int height(const Plot& plot) {
    const auto rows = static_cast<int>(std::min(plot.y.names.size(), most_rows_with_texts));
    const auto keys = static_cast<int>(plot.series.size());
    const int keyed = keys > 1 ? (keys + 1) / 2 * 20 : 0;
    return (rows > 0 ? std::max(180, 110 + row_height * rows) : 400) + keyed;
  }

  [[nodiscard]] static std::string axis(const char* letter, const PlotAxis& axis,
                                        const AxisScale& scale) {
    std::string all = axis.title.empty()
                          ? text("unset ", letter, "label\n")
                          : text("set ", letter, "label ", gnuplot_text(axis.title), '\n');
    if (axis.logarithmic && axis.names.empty()) all += text("set logscale ", letter, '\n');
    const bool downwards = *letter == 'y' && !axis.names.empty();
    all += text("set ", letter, "range [", written(downwards ? scale.high : scale.low), ":",
                written(downwards ? scale.low : scale.high), "]\n");
    const std::size_t most = *letter == 'x' ? most_beside(scale) : most_rows_with_texts;
    return all + text("set ", letter, "tics (", ticks(scale, most), ")\n");
  }

  /// Returns how many texts have room beside each other at the x axis.
  [[nodiscard]] static std::size_t most_beside(const AxisScale& scale) {
    constexpr std::size_t most_letters = 78;
    std::size_t longest = 0;
    for (const auto& [_, words] : scale.ticks) longest = std::max(longest, words.size());
    return std::max<std::size_t>(2, most_letters / (longest + 2));
  }

  /// Lists at most `most` ticks, at equal distances.
  [[nodiscard]] static std::string ticks(const AxisScale& scale, std::size_t most) {
    const std::size_t every = (scale.ticks.size() + most - 1) / most;
    std::string all;
    for (std::size_t i = 0; i < scale.ticks.size(); i += every) {
      const auto& [number, words] = scale.ticks[i];
      if (!all.empty()) all += ", ";
      all += gnuplot_tick(words) + ' ' + written(number);
    }
    return all;
  }

  [[nodiscard]] std::string cells() const {
    std::vector<double> values;
    for (const PlotCell& cell : plot_.cells) values.push_back(cell.value);
    const AxisScale colours = scale_of(plot_.colour, values);
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    const bool one = *least == *most;
    std::string all = text(
        "unset key\nset palette maxcolors 64 defined (0 '#00204d', 0.25 '#414d6b', 0.5 '#7c7b78', "
        "0.75 '#bcaf6f', 1 '#ffea46')\nset cbtics (",
        ticks(colours, most_rows_with_texts), ")\nset cbrange [",
        written(one ? colours.low : *least), ":", written(one ? colours.high : *most), "]\n",
        plot_.colour.logarithmic ? "set logscale cb\n" : "", "unset grid\nplot ", data_,
        " using 1:2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):3 skip 1 with boxxyerror fillstyle solid "
        "noborder linecolor palette notitle");
    constexpr std::size_t most_labels = 120;
    if (plot_.cells.size() <= most_labels) {
      const double middle =
          plot_.colour.logarithmic ? std::sqrt(*least) * std::sqrt(*most) : (*least + *most) / 2;
      // Colours that a style sheet leaves as they are, like those of the cells.
      for (const auto& [test, ink] : {std::pair("<", "#fefefe"), std::pair(">=", "#010101")}) {
        all += text(", \\\n  '' using 1:($3", test, written(middle),
                    "?$2:NaN):(stringcolumn(6)) skip 1 with labels font ',12' textcolor rgb '", ink,
                    "' notitle");
      }
    }
    return all + '\n';
  }

  [[nodiscard]] std::string lines() const {
    std::vector<std::string> parts;
    std::size_t named = 0;
    for (std::size_t i = 0; i < plot_.series.size(); ++i) {
      const PlotSeries& series = plot_.series[i];
      if (!series.name.empty()) ++named;
      const std::string title =
          series.name.empty() ? "notitle" : text("title ", gnuplot_text(series.name));
      parts.push_back(text(rows_of(i), form_of(series), " lt ", i + 1, ' ', title));
    }
    const auto line = [&](const std::string& what, const std::string& name) {
      if (!name.empty()) ++named;
      parts.push_back(text(what, " with lines lc rgb '", quiet_ink.light, "' lw 1 dt 2 ",
                           name.empty() ? "notitle" : text("title ", gnuplot_text(name))));
    };
    if (!plot_.diagonal.empty()) line("x", plot_.diagonal);
    if (plot_.y_level) line(written(plot_.y_level->value), plot_.y_level->name);
    std::string all;
    if (plot_.x_level) {
      const std::string at = written(plot_.x_level->value);
      all += text("set arrow 1 from first ", at, ", graph 0 to first ", at,
                  ", graph 1 nohead back lc rgb '", quiet_ink.light, "' lw 1 dt 2\n");
      line("NaN", plot_.x_level->name);
    }
    all += named > 1 || (named == 1 && plot_.series.size() > 1)
               ? text("set key below left horizontal Left reverse width 2 height 0.8",
                      wide_keys() ? " maxcols 1" : "", '\n')
               : std::string("unset key\n");
    all += "plot ";
    for (const std::string& part : parts) {
      if (&part != &parts.front()) all += ", \\\n  ";
      all += part;
    }
    return all + '\n';
  }

  /// Whether names of series need lines of their own: texts at the y axis leave little room.
  [[nodiscard]] bool wide_keys() const {
    const auto longest = [](const std::vector<std::string>& names) {
      std::size_t most = 0;
      for (const std::string& name : names) most = std::max(most, name.size());
      return most;
    };
    return longest(plot_.y.names) > 16;
  }

  /// Selects the points of a series.
  [[nodiscard]] std::string rows_of(std::size_t series) const {
    return text(data_, " using ($1==", series + 1, "?$2:NaN):5");
  }

  /// Columns and style of a series. An absent interval has the length 0.
  [[nodiscard]] static std::string form_of(const PlotSeries& series) {
    using Form = PlotSeries::Form;
    if (series.form == Form::spans) {
      return ":3:4:($5-0.4):($5+0.4) skip 1 with boxxyerror fillstyle solid noborder";
    }
    if (series.form == Form::steps) return " skip 1 with steps";
    const bool lines = series.form == Form::lines;
    const bool x = any_interval(series, &PlotPoint::x_interval);
    const bool y = any_interval(series, &PlotPoint::y_interval);
    if (!x && !y) return lines ? " skip 1 with linespoints" : " skip 1 with points";
    return text(x ? ":(valid(3)?$3:$2):(valid(4)?$4:$2)" : "",
                y ? ":(valid(6)?$6:$5):(valid(7)?$7:$5)" : "", " skip 1 with ",
                x && y ? "xy"
                : x    ? "x"
                       : "y",
                "error", lines ? "lines" : "bars");
  }

  const Plot& plot_;
  std::string data_;
  AxisScale x_;
  AxisScale y_;
};

}  // namespace

std::string plot_csv(const Plot& plot) {
  std::string all = text(plot.cells.empty() ? columns_of_points : columns_of_cells, '\n');
  for (const PlotCell& cell : plot.cells) {
    all += text(cell.x, ',', cell.y, ',', written(cell.value), ',',
                csv_quoted(plot.x.names.at(cell.x)), ',', csv_quoted(plot.y.names.at(cell.y)), ',',
                tick_text(plot.colour.unit, cell.value), '\n');
  }
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    for (const PlotPoint& point : plot.series[i].points) {
      all += std::to_string(i + 1);
      for (const double number : {point.x, point.x_interval.low, point.x_interval.high, point.y,
                                  point.y_interval.low, point.y_interval.high}) {
        all += ',' + written(number);
      }
      all += ',' + csv_quoted(plot.series[i].name) + '\n';
    }
  }
  return all;
}

std::string plot_script(const Plot& plot, const std::string& name) {
  const Script script(plot, text("'", name, ".csv'"));
  return text("# `gnuplot ", name, ".gp` draws ", name, ".svg with the numbers of ", name,
              ".csv.\n", Script::terminal(plot, name), "set output '", name, ".svg'\n",
              script.style(), "set title ", gnuplot_text(plot.title), '\n', script.body());
}

std::string page_script(const Plot& plot, const std::string& name) {
  return text("reset session\n", Script::terminal(plot, name), Script(plot, "$numbers").style(),
              "$numbers << end_of_numbers\n", plot_csv(plot), "end_of_numbers\n",
              Script(plot, "$numbers").body());
}

}  // namespace bracket::viz
