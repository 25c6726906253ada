// SPDX-License-Identifier: MIT

#include <algorithm>
#include <array>
#include <cmath>

#include "bracket/model/distribution.hpp"
#include "bracket/support/text.hpp"
#include "figures/source_figures.hpp"

/// Figures of the thesis about messages and shares, which need no measurement.
namespace bracket::tools {

namespace {

constexpr Index cluster = 256;

/// Numbers of elements up to 256 · 2^levels: just below, at and above each 256 · 2^i, and some
/// between.
std::vector<Index> counted_sizes(int levels) {
  std::vector<Index> sizes;
  for (int i = 0; i <= levels; ++i) {
    const Index power = cluster << i;
    for (const Index size : {power - 1, power, power + 1}) sizes.push_back(size);
    if (i == levels) break;
    for (const Index eighth : {1, 2, 3, 4, 5, 6, 7}) {
      const Index size = power + eighth * power / 8;
      if (size > sizes.back()) sizes.push_back(size);
    }
  }
  return sizes;
}

}  // namespace

SourceFigure thesis_figure_2_3(const FigureRuns& runs) {
  SourceFigure figure;
  figure.say(
      "Messages of the plan direct on p = 256 ranks, with the rest on the lower (a) or on the "
      "upper "
      "ranks (b), and the bound of equation 2.5 for the lower ones. The thesis prints formulas for "
      "the extremes of (a): p − 1 messages for N = 2^i · p, and (p − 1)(i + 1) for one element "
      "more.");
  const int levels = runs.settings().quick ? 4 : 12;
  const auto sizes = counted_sizes(levels);
  viz::Plot plot{.title = "Messages on 256 ranks",
                 .x = {.title = "elements N", .logarithmic = true},
                 .y = {.title = "messages"}};
  const auto rows = runs.rows({"count", "-N", joined(sizes), "-p", "256", "--distribution",
                               "lower,upper", "--plan", "direct"});
  for (const char* const distribution : {"lower", "upper"}) {
    SeriesOfPoints series(text("rest on the ", distribution, " ranks"));
    for (const auto& row : rows) {
      if (row.at("distribution") != distribution) continue;
      series.add(number_in(row, "elements"), number_in(row, "messages"));
    }
    plot.series.push_back(series.series());
  }
  SeriesOfPoints bound("bound for lower (2.5)");
  for (const Index size : sizes) {
    const auto n = static_cast<double>(size);
    if (size > cluster) bound.add(n, (cluster - 1) * (std::log2((n - 1) / cluster) + 1));
  }
  plot.series.push_back(bound.series());
  figure.add(std::move(plot));
  for (const auto& row : rows) {
    const auto size = row.at("elements").get<Index>();
    if (row.at("distribution") != "lower") continue;
    for (int i = 0; i <= levels; i += 4) {
      const Index least = cluster << i;
      if (size != least && size != least + 1) continue;
      const double printed = size == least ? cluster - 1.0 : (cluster - 1.0) * (i + 1);
      figure.add(text("messages, lower, N = ", grouped(static_cast<double>(size))), {printed},
                 number_in(row, "messages"));
    }
  }
  return figure;
}

SourceFigure thesis_figure_3_5(const FigureRuns& runs) {
  static_cast<void>(runs);
  SourceFigure figure;
  figure.say(
      "N = 504 850 elements on p = 256 ranks. The thesis shows box plots, without numbers, of the "
      "even distribution and the optimized one with α = 0.2. The extremes in the table are those "
      "of "
      "the shares that its author published (stelzch/allreduce, misc/distribution_bench.sh).");
  viz::Plot plot{
      .title = "Shares in ascending sequence",
      .x = {.title = "ranks with at most as many elements", .unit = viz::PlotUnit::share},
      .y = {.title = "elements on a rank", .from_zero = false}};
  for (const char* const name : {"upper", "optimized-shares:0.2", "optimized:0.2"}) {
    const auto distribution = make_distribution(name, 504850, cluster);
    std::vector<double> shares;
    for (Rank rank = 0; rank < cluster; ++rank) {
      shares.push_back(static_cast<double>(distribution.range(rank).size()));
    }
    std::sort(shares.begin(), shares.end());
    SeriesOfPoints series(name, viz::PlotSeries::Form::steps);
    for (std::size_t i = 0; i < shares.size(); i += 5) {
      series.add(static_cast<double>(i + 1) / cluster, shares[i]);
    }
    plot.series.push_back(series.series());
    if (std::string_view(name) == "optimized-shares:0.2") {
      figure.add(text("smallest share, ", name), {1690}, shares.front());
      figure.add(text("largest share, ", name), {2406}, shares.back());
    } else {
      figure.add(text("smallest share, ", name), shares.front());
      figure.add(text("largest share, ", name), shares.back());
    }
    figure.add(text("median share, ", name), shares[shares.size() / 2]);
  }
  figure.add(std::move(plot));
  return figure;
}

SourceFigure thesis_figure_b_1(const FigureRuns& runs) {
  SourceFigure figure;
  figure.say(
      "N = 504 850 elements on p = 256 ranks of the machine thesis-node, LogGP. The buffer holds 4 "
      "values and is flushed before work on subtrees above a size: 64 by the thesis, 32 by its "
      "program on the day of figure 3.4. The thesis prints 1.2 values in a message on average, and "
      "no gain beyond a size of 64. LogGP predicts one, because a message takes as long as 1 000 "
      "additions on this machine. The thesis presumes that the ranks lose as much time while they "
      "wait for the held values.");
  std::vector<std::string> plans;
  for (const Index flush : {1, 4, 8, 16, 32, 64, 128, 256, 1024}) {
    plans.push_back(text("buffered:4:", flush));
  }
  const auto rows =
      runs.rows({"compare", "--predict", "-N", "504850", "-p", "256", "--plan", joined(plans),
                 "--distribution", "upper", "--machine", "thesis-node"});
  viz::Plot plot{.title = "Time over the largest subtree that a full buffer waits for",
                 .x = {.title = "flushed before subtrees above", .logarithmic = true},
                 .y = {.title = "LogGP", .unit = viz::PlotUnit::seconds}};
  SeriesOfPoints series("buffered:4");
  const double direct =
      number_in(runs.rows({"count", "-N", "504850", "-p", "256", "--distribution", "upper"}).at(0),
                "messages");
  for (const auto& row : rows) {
    const std::string plan = row.at("plan").get<std::string>();
    const double flush = std::stod(plan.substr(plan.rfind(':') + 1));
    const double messages = number_in(row, "messages");
    series.add(flush, number_in(row, "loggp_seconds"));
    const std::string quantity = text("values in a message, flush above ", flush);
    if (flush == 32) {
      figure.add(quantity, {1.2, 1}, direct / messages,
                 "the thesis's average over data sets that it does not list");
    } else {
      figure.add(quantity, direct / messages, "", 3);
    }
    figure.add(text("LogGP in µs, flush above ", flush), 1e6 * number_in(row, "loggp_seconds"));
  }
  plot.series.push_back(series.series());
  figure.add(std::move(plot));
  return figure;
}

}  // namespace bracket::tools
