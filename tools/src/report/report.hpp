// SPDX-License-Identifier: MIT

#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bracket/viz/document.hpp"
#include "bracket/viz/plot.hpp"
#include "report/plot_program.hpp"
#include "report/report_options.hpp"
#include "rows/row_table.hpp"

namespace bracket::tools {

/// A table of a report, with its plots.
struct ReportTable {
  std::string title{};
  std::vector<std::string> sentences{};  ///< above the plots
  std::vector<Column> columns{};
  std::vector<nlohmann::ordered_json> rows{};
  std::vector<viz::Plot> plots{};
  std::vector<viz::Figure> pictures{};  ///< SVG that gnuplot does not draw
};

/// The page of `--report`: the same bytes for the same rows and command line.
class Report {
 public:
  /// Largest number of rows that a report accepts.
  static constexpr std::size_t most_rows = 100'000;

  /// Starts gnuplot if a report is wanted; otherwise, the other functions do nothing. The page
  /// shows the command line of this process; `ranks` is the number of its ranks. Throws `Error` if
  /// gnuplot does not start.
  explicit Report(const ReportOptions& options, int ranks = 1);

  [[nodiscard]] bool wanted() const { return options_.wanted(); }

  /// Adds a line to the top of the page: the machine or a version. Lines of the `value` are facts
  /// of their own. Does nothing for an empty value.
  void fact(const std::string& name, const std::string& value);

  void add(ReportTable table);

  /// Writes the page and, if wanted, the sources of its plots. Throws `Error` if gnuplot fails, or
  /// if a file cannot be written.
  void write();

 private:
  void take_environments(const std::vector<nlohmann::ordered_json>& rows);
  [[nodiscard]] std::vector<std::vector<viz::Figure>> figures();
  [[nodiscard]] std::string page(const std::vector<std::vector<viz::Figure>>& figures,
                                 std::size_t rows) const;
  void write_sources(const std::vector<std::pair<std::string, viz::Plot>>& plots) const;

  ReportOptions options_;
  int ranks_;
  std::unique_ptr<PlotProgram> program_;
  std::vector<std::pair<std::string, std::string>> facts_;
  std::vector<ReportTable> tables_;
};

}  // namespace bracket::tools
