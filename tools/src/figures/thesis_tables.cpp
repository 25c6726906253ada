// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "bracket/support/text.hpp"
#include "figures/source_figures.hpp"

namespace bracket::tools {

namespace {

/// What the thesis prints for a distribution.
struct PrintedScore {
  std::string distribution;
  double messages;
  double microseconds;
};

PlottedRows scores(const FigureRuns& runs, const std::vector<std::string>& distributions) {
  return runs.rows({"count", "-N", "504850", "-p", "256", "--distribution", joined(distributions)});
}

SourceFigure score_table(const FigureRuns& runs, const std::vector<PrintedScore>& printed) {
  SourceFigure figure;
  figure.say(
      "N = 504 850 elements on p = 256 ranks. The score is the number of messages times 281 ns "
      "plus the largest share times 4.15 ns (equation 3.7).");
  std::vector<std::string> distributions;
  for (const PrintedScore& row : printed) distributions.push_back(row.distribution);
  const PlottedRows rows = scores(runs, distributions);
  for (std::size_t i = 0; i < printed.size(); ++i) {
    const std::string& distribution = printed[i].distribution;
    figure.add(text("messages, ", distribution), {printed[i].messages},
               number_in(rows.at(i), "messages"));
    figure.add(text("score in µs, ", distribution), {printed[i].microseconds, 1},
               1e6 * number_in(rows.at(i), "score_seconds"));
  }
  return figure;
}

/// A data set of table 4.2, with the difference of its irreproducible sums.
struct PrintedDifference {
  std::string name;
  Index elements;
  double difference;
};

const std::vector<PrintedDifference>& printed_differences() {
  static const std::vector<PrintedDifference> all{
      {"354", 460, 6.4e-12},        {"multi100", 767, 3.6e-12},   {"prim", 898, 7.3e-12},
      {"fusob", 1602, 4.5e-11},     {"rokasD4", 239763, 1.9e-7},  {"rokasA8", 504850, 4.5e-8},
      {"rokasD1", 1327505, 4.5e-6}, {"rokasA4", 1806035, 2.8e-6}, {"PeteD8", 3011099, 6.1e-6}};
  return all;
}

/// Smallest and largest of the sums of one method.
struct Extremes {
  double least;
  double most;
};

double number_of_bits(const std::string& bits) {
  return std::bit_cast<double>(std::stoull(bits, nullptr, 16));
}

}  // namespace

SourceFigure thesis_table_3_1(const FigureRuns& runs) {
  return score_table(runs, {{"lower", 1640, 469.0}, {"upper", 1401, 401.9}});
}

SourceFigure thesis_table_3_2(const FigureRuns& runs) {
  return score_table(runs, {{"power2", 256, 1083.4}});
}

SourceFigure thesis_table_3_3(const FigureRuns& runs) {
  SourceFigure figure = score_table(runs, {{"optimized-shares:0.2", 621, 184.5}});
  figure.say(
      "The numbers are not those of Algorithm 3. The thesis's author published the 256 shares "
      "behind them (stelzch/allreduce, misc/distribution_bench.sh) and the rule "
      "(jupyter/optimal_tree.ipynb): from the lower distribution, each boundary moves down to its "
      "parent while the share below it stays within α = 0.2 of N / p. This is the distribution "
      "optimized-shares. Algorithm 3 moves the boundaries of upper by up to α · N / p.");
  figure.say(
      "Other rules give one of the two numbers at most: Algorithm 3 with α = 0.132 has the score "
      "184.5 µs and 626 messages; the rule above from upper has 601 messages; and the author's "
      "later "
      "program (Distribution::lsb_cleared), which rounds boundaries up and down in turn, has 621 "
      "messages and the score 184.1 µs with α = 0.11.");
  for (const auto& row : scores(runs, {"optimized:0.2", "optimal:0.2"})) {
    const std::string name = row.at("distribution").get<std::string>();
    figure.add(text("messages, ", name), number_in(row, "messages"));
    figure.add(text("score in µs, ", name), 1e6 * number_in(row, "score_seconds"));
  }
  return figure;
}

SourceFigure thesis_table_4_2(const FigureRuns& runs) {
  SourceFigure figure;
  const FigureSettings& settings = runs.settings();
  std::vector<Rank> counts;
  for (const Rank ranks :
       settings.quick ? std::vector<Rank>{1, 2, 3} : std::vector<Rank>{1, 2, 3, 5, 8, 13, 17}) {
    if (ranks <= settings.ranks || settings.oversubscribe) counts.push_back(ranks);
  }
  std::vector<Index> sizes;
  for (const auto& row : printed_differences()) {
    if (!settings.quick || row.elements < 2000) sizes.push_back(row.elements);
  }
  std::string used;
  std::map<std::pair<std::string, Index>, Extremes> sums;
  for (const Rank ranks : counts) {
    used += text(used.empty() ? "" : ", ", ranks);
    for (const auto& row : runs.rows_on(
             ranks, {"bench", "-N", joined(sizes), "--candidates", "accumulate,buffered,binned",
                     "--repetitions", "2", "--warm-up", "1"})) {
      const double sum = number_of_bits(row.at("result_bits").get<std::string>());
      const std::pair key{row.at("candidate").get<std::string>(), row.at("elements").get<Index>()};
      const auto found = sums.try_emplace(key, Extremes{sum, sum}).first;
      found->second = {std::min(found->second.least, sum), std::max(found->second.most, sum)};
    }
  }
  figure.say(text("The largest sum minus the smallest one, on p = ", used,
                  " ranks. The thesis has p = 1, 17, …, 241. Its sums are of log-likelihoods, and "
                  "these are of as many synthetic numbers: the reproducible sums must not differ, "
                  "and the others differ by a similar share of their last digits."));
  for (const auto& printed : printed_differences()) {
    if (printed.elements > sizes.back()) continue;
    const std::string of =
        text(printed.name, ", N = ", grouped(static_cast<double>(printed.elements)));
    const auto spread = [&](const char* candidate) {
      const Extremes& found = sums.at({candidate, printed.elements});
      return std::stod(fmt::format("{:.2g}", found.most - found.least));
    };
    figure.add(text("binary tree, ", of), {0}, spread("buffered"));
    figure.add(text("ReproBLAS (here: binned), ", of), {0}, spread("binned"));
    figure.add(text("std::accumulate and MPI_Allreduce, ", of), {printed.difference, 13},
               spread("accumulate"), "synthetic numbers of both signs, and other ranks");
  }
  return figure;
}

}  // namespace bracket::tools
