// SPDX-License-Identifier: MIT

#pragma once

#include <optional>
#include <string>

#include "bracket/viz/plot.hpp"
#include "report/report.hpp"

namespace bracket::tools {

/// A table or figure of a paper, made again: numbers beside those that the paper prints.
class SourceFigure {
 public:
  /// A number that a paper prints. The regenerated one is rounded to the same decimals.
  struct Printed {
    double number;
    int decimals = 0;
  };

  SourceFigure() { table_.columns = columns(); }

  /// Adds a sentence above the plots: what is shown, and why numbers differ.
  void say(const std::string& sentence) { table_.sentences.push_back(sentence); }

  /// Adds a number with its unit in the words of `quantity`. `reason` explains a difference.
  void add(const std::string& quantity, Printed printed, double here,
           const std::string& reason = {});

  /// Adds a number that the paper does not print. It has `digits` digits.
  void add(const std::string& quantity, double here, const std::string& reason = {},
           int digits = 4);

  void add(viz::Plot plot) { table_.plots.push_back(std::move(plot)); }
  void add(viz::Figure picture) { table_.pictures.push_back(std::move(picture)); }

  [[nodiscard]] const ReportTable& table() const { return table_; }

  /// The columns of every figure.
  static std::vector<Column> columns();

 private:
  nlohmann::ordered_json& new_row(const std::string& quantity, double here,
                                  const std::string& reason);

  ReportTable table_;
};

/// A series of points of a plot.
class SeriesOfPoints {
 public:
  explicit SeriesOfPoints(const std::string& name,
                          viz::PlotSeries::Form form = viz::PlotSeries::Form::lines)
      : series_{.name = name, .form = form} {}
  void add(double x, double y) { series_.points.push_back({.x = x, .y = y}); }
  [[nodiscard]] const viz::PlotSeries& series() const { return series_; }

 private:
  viz::PlotSeries series_;
};

/// Number of elements as people read it: 504 850.
std::string grouped(double number);

}  // namespace bracket::tools
