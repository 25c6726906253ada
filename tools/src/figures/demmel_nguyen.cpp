// SPDX-License-Identifier: MIT

#include <algorithm>
#include <cmath>
#include <optional>

#include "bracket/support/text.hpp"
#include "common/spawn.hpp"
#include "figures/source_figures.hpp"

namespace bracket::tools {

namespace {

constexpr const char* missing_algorithms =
    "The paper also has two algorithms that need two reductions, the first for the largest "
    "magnitude (Reproducible Sum and Fast Reproducible Sum). Bracket does not have them yet.";

}  // namespace

SourceFigure demmel_nguyen_error(const FigureRuns& runs) {
  SourceFigure figure;
  const std::string count = runs.settings().quick ? "4096" : "1048576";
  figure.say(text("Error of the sum of N = ", grouped(std::stod(count)),
                  " synthetic numbers of both signs, against the sum by double-double. The paper "
                  "bounds the error of K bins of W = 40 bits by N · 2^((1 - K) W) · max|x|, and "
                  "recommends K = 3. The result is then rounded once more to float64, so that more "
                  "than two bins show no smaller error here."));
  figure.say(missing_algorithms);
  const auto result = [&](const std::vector<std::string>& words) {
    std::vector<std::string> command{"run", "--synthetic", count, "--repetitions",
                                     "1",   "--warm-up",   "1"};
    command.insert(command.end(), words.begin(), words.end());
    return number_in(runs.rows(command).at(0), "result");
  };
  const double exact = result({"--algorithm", "double-double"});
  constexpr double most = 1024;  // the synthetic numbers have lower magnitudes
  const double half_ulp = (std::nextafter(std::abs(exact), INFINITY) - std::abs(exact)) / 2;
  viz::Plot plot{.title = "Error by the number of bins",
                 .x = {.title = "bins K"},
                 .y = {.title = "error", .logarithmic = true}};
  SeriesOfPoints bound("bound of the paper, and half an ulp of the result");
  SeriesOfPoints error("binned, where not 0");
  for (int bins = 1; bins <= 4; bins += runs.settings().quick ? 2 : 1) {
    const double limit = std::stod(count) * std::exp2((1 - bins) * 40) * most + half_ulp;
    const double found = std::abs(result({"--algorithm", text("binned:", bins)}) - exact);
    bound.add(bins, limit);
    error.add(bins, found);
    figure.add(text("bound, K = ", bins), limit, "", 3);
    figure.add(text("error, K = ", bins), found, "", 3);
  }
  plot.series = {bound.series(), error.series()};
  figure.add("error in tree order", std::abs(result({}) - exact), "", 3);
  if (!runs.settings().quick) {
    figure.add("error from left to right", std::abs(result({"--order", "sequential"}) - exact), "",
               3);
  }
  figure.add(std::move(plot));
  return figure;
}

SourceFigure demmel_nguyen_figure_4(const FigureRuns& runs) {
  SourceFigure figure;
  const FigureSettings& settings = runs.settings();
  const bool calibrated = !settings.quick && settings.ranks > 1;
  figure.say(text(
      "N = 2^20 numbers, K = 3: the time of a binned sum divided by that of an irreproducible sum, "
      "both to one rank. The paper measured on Hopper, a Cray XE6 with ACML, and prints 15 % more "
      "time for p ≥ 512, and that the fastest of its three algorithms never takes more than 2.6 "
      "times as long. ",
      calibrated
          ? "The prediction is LogGP's for a cluster of cores like those of this machine, "
            "with the messages between two of them, calibrated just before."
          : "Without --quick and on at least two ranks, this machine is calibrated first, and "
            "the page also has predictions for up to 2 048 ranks."));
  figure.say(missing_algorithms);
  std::vector<Index> counts;
  for (Index ranks = 1; ranks <= (calibrated ? 2048 : 0); ranks *= 2) counts.push_back(ranks);
  std::optional<FileInMemory> machine;
  if (calibrated) machine.emplace(runs.calibration());
  const auto times = [&](const std::vector<std::string>& method) {
    std::vector<std::string> words{
        "compare",      "--predict", "-N",       "1048576",        "-p",
        joined(counts), "--plan",    "binomial", "--distribution", "upper"};
    words.insert(words.end(), method.begin(), method.end());
    words.insert(words.end(), {"--machine", machine->path()});
    return runs.rows(words);
  };
  const auto binned = calibrated ? times({"--algorithm", "binned"}) : PlottedRows{};
  const auto plain = calibrated ? times({"--order", "associative"}) : PlottedRows{};
  viz::Plot plot{.title = "Time of binned divided by that of the irreproducible sum",
                 .x = {.title = "ranks p", .logarithmic = true},
                 .y = {.title = "ratio"},
                 .y_level = viz::PlotLevel{1.15, "the paper, p ≥ 512"}};
  SeriesOfPoints predicted("1-Reduction (binned), LogGP");
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double ratio =
        number_in(binned.at(i), "loggp_seconds") / number_in(plain.at(i), "loggp_seconds");
    predicted.add(static_cast<double>(counts[i]), ratio);
    const std::string quantity = text("binned / irreproducible, predicted, p = ", counts[i]);
    if (counts[i] < 512) {
      figure.add(quantity, ratio, "", 3);
    } else {
      figure.add(quantity, {1.15, 2}, ratio,
                 "other cores and messages: here a rank adds faster, against messages of a node");
    }
  }
  plot.series.push_back(predicted.series());
  SeriesOfPoints here("1-Reduction (binned), measured here, result on all ranks");
  for (Rank ranks = 1; ranks <= settings.ranks; ranks *= 2) {
    for (const auto& row : runs.rows_on(ranks, {"bench", "-N", "1048576", "--candidates", "binned",
                                                "--repetitions", settings.quick ? "3" : "15"})) {
      if (row.at("candidate") != "binned") continue;
      here.add(ranks, number_in(row, "ratio"));
      figure.add(text("binned / irreproducible, measured here, p = ", ranks),
                 number_in(row, "ratio"), "", 3);
    }
  }
  plot.series.push_back(here.series());
  figure.add(std::move(plot));
  return figure;
}

}  // namespace bracket::tools
