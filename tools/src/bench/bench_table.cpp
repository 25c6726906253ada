// SPDX-License-Identifier: MIT

#include "bench/bench_table.hpp"

#include <utility>

#include "bench/bench_candidates.hpp"
#include "bracket/support/text.hpp"
#include "report/row_plots.hpp"

namespace bracket::tools {

using Shown = Column::Shown;

std::vector<Column> bench_columns(const BenchVariety& variety) {
  std::vector<Column> columns{{"candidate", "candidate"}};
  const auto add_if = [&](bool needed, const Column& column) {
    if (needed) columns.push_back(column);
  };
  add_if(variety.tuned, {"plan", "plan"});
  add_if(variety.distributions, {"distribution", "distribution"});
  columns.push_back({"elements", "elements"});
  add_if(variety.ranks, {"ranks", "p"});
  columns.insert(columns.end(),
                 {{"measured_seconds", "median [us]", Shown::microseconds},
                  {"measured_low_seconds", "95 % from [us]", Shown::microseconds},
                  {"measured_high_seconds", "to [us]", Shown::microseconds},
                  {"measured_percentile_1_seconds", "1st percentile [us]", Shown::microseconds},
                  {"measured_percentile_99_seconds", "99th [us]", Shown::microseconds},
                  {"ratio", text("ratio to ", baseline), Shown::ratio}});
  add_if(variety.ranks, {"speedup", "speedup", Shown::ratio});
  return columns;
}

std::vector<viz::Plot> bench_plots(const PlottedRows& rows) {
  const Measure time = measured_time("median time, with its 95 % interval");
  const Measure ratio{"ratio", text("ratio to ", baseline)};
  const bool over_ranks = numbers_in(rows, "ranks").size() > 1;
  const bool over_elements = !over_ranks && numbers_in(rows, "elements").size() > 1;
  const bool lines = over_ranks || over_elements;
  const char* const key = over_ranks ? "ranks" : "elements";
  std::vector<std::string> differing{"candidate", "distribution"};
  if (over_ranks) differing.emplace_back("elements");
  const auto names = RowNames::by(rows, differing);
  const auto plot = [&](const Measure& measure, viz::PlotUnit unit) {
    return lines ? lines_over(rows, setting_axis(rows, key, over_ranks ? "ranks p" : "elements N"),
                              key, measure, names, unit)
                 : points_by_row(rows, {measure}, names, unit);
  };
  std::vector<viz::Plot> plots;
  plots.push_back(plot(time, viz::PlotUnit::seconds));
  plots.back().title = over_ranks      ? "Time over the number of ranks"
                       : over_elements ? "Time over the number of elements"
                                       : "Time of each candidate";
  plots.push_back(plot(ratio, viz::PlotUnit::number));
  plots.back().title = "Time divided by that of the irreproducible sum";
  (lines ? plots.back().y_level : plots.back().x_level) = viz::PlotLevel{1, ""};
  if (auto gained = speedup(rows, time, names)) plots.push_back(std::move(*gained));
  return plots;
}

void report_bench(Report& report, const RowTable& table) {
  if (!report.wanted()) return;
  report.add({.title = "Times of the candidates",
              .columns = table.columns(),
              .rows = table.rows(),
              .plots = bench_plots(table.rows())});
  report.write();
}

}  // namespace bracket::tools
