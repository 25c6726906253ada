// SPDX-License-Identifier: MIT

#include <algorithm>
#include <cmath>
#include <optional>

#include "bracket/support/text.hpp"
#include "common/spawn.hpp"
#include "figures/source_figures.hpp"

namespace bracket::tools {

namespace {

constexpr const char* two_reductions =
    "The paper also has two algorithms with two reductions each, the first for the largest "
    "magnitude: Reproducible Sum, which is pre-rounded here, and Fast Reproducible Sum, which "
    "extracts the same multiples with fewer operations.";

/// Seconds of the parts of a sum on ranks with so many numbers each.
double local_seconds(const FigureRuns& runs, const std::string& machine, Index numbers,
                     const std::vector<std::string>& method) {
  std::vector<std::string> words{"compare", "--predict", "-N",    std::to_string(numbers), "-p",
                                 "1",       "--machine", machine, "--distribution",        "upper"};
  words.insert(words.end(), method.begin(), method.end());
  return number_in(runs.rows(words).at(0), "loggp_seconds");
}

}  // namespace

SourceFigure demmel_nguyen_error(const FigureRuns& runs) {
  SourceFigure figure;
  const std::string count = runs.settings().quick ? "4096" : "1048576";
  figure.say(text("Error of the sum of N = ", grouped(std::stod(count)),
                  " synthetic numbers of both signs, against the sum by double-double. The paper "
                  "bounds the error of K bins of W = 40 bits by N · 2^((1 - K) W) · max|x|, and "
                  "recommends K = 3. The result is then rounded once more to float64, so that more "
                  "than two bins show no smaller error here."));
  figure.say(two_reductions);
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
      "N = 2^20 numbers: the time of a binned sum (K = 3), and that of a pre-rounded one (K = 2), "
      "divided by that of an irreproducible sum, all to one rank. The paper measured on Hopper, a "
      "Cray XE6 with ACML. Its text says that 1-Reduction takes 15 % more time for p ≥ 512, and "
      "the "
      "algorithms with two reductions about twice as much; at few ranks, all reproducible sums "
      "take at least twice as long, and the fastest of the three never more than 2.6 times. ",
      calibrated
          ? "The prediction is LogGP's for a cluster of cores like those of this machine, "
            "with the messages between two of them, calibrated just before."
          : "Without --quick and on at least two ranks, this machine is calibrated first, and "
            "the page also has predictions for up to 2 048 ranks."));
  figure.say(two_reductions);
  std::vector<Index> counts;
  for (Index ranks = 1; ranks <= (calibrated ? 2048 : 0); ranks *= 2) counts.push_back(ranks);
  std::optional<FileInMemory> machine;
  if (calibrated) machine.emplace(runs.calibration());
  const auto times = [&](const std::vector<std::string>& method) {
    std::vector<std::string> words{"compare",      "--predict",      "-N",   "1048576", "-p",
                                   joined(counts), "--distribution", "upper"};
    words.insert(words.end(), method.begin(), method.end());
    words.insert(words.end(), {"--machine", machine->path()});
    return runs.rows(words);
  };
  PlottedRows binned;
  PlottedRows plain;
  PlottedRows largest;
  PlottedRows rounded;
  if (calibrated) {
    binned = times({"--algorithm", "binned", "--plan", "binomial"});
    plain = times({"--order", "associative", "--plan", "binomial"});
    largest = times({"--op", "maximum", "--all", "--plan", "butterfly"});
    rounded = times({"--algorithm", "pre-rounded", "--plan", "binomial"});
  }
  viz::Plot plot{.title = "Time of binned divided by that of the irreproducible sum",
                 .x = {.title = "ranks p", .logarithmic = true},
                 .y = {.title = "ratio"},
                 .y_level = viz::PlotLevel{1.15, "the paper, p ≥ 512"}};
  SeriesOfPoints predicted("1-Reduction (binned), LogGP");
  SeriesOfPoints twice("two reductions (pre-rounded), LogGP");
  double worst = 0;
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
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double sum = number_in(plain.at(i), "loggp_seconds");
    const double first = number_in(largest.at(i), "loggp_seconds");
    const double second = number_in(rounded.at(i), "loggp_seconds");
    twice.add(static_cast<double>(counts[i]), (first + second) / sum);
    figure.add(text("pre-rounded / irreproducible, predicted, p = ", counts[i]),
               (first + second) / sum, "", 3);
    worst =
        std::max(worst, std::min(first + second, number_in(binned.at(i), "loggp_seconds")) / sum);
    if (counts[i] != 1 && counts[i] != 64 && counts[i] != 2048) continue;
    const Index numbers = 1048576 / counts[i];
    const double maximum = local_seconds(runs, machine->path(), numbers, {"--op", "maximum"});
    const double local =
        local_seconds(runs, machine->path(), numbers, {"--algorithm", "pre-rounded"});
    const auto part = [&](const char* name, double seconds) {
      figure.add(text(name, " / irreproducible, p = ", counts[i]), std::max(0.0, seconds) / sum, "",
                 3);
    };
    part("of which local maximum", maximum);
    part("reduction of the maximum", first - maximum);
    part("local sum", local);
    part("reduction of the sum", second - local);
  }
  if (calibrated) {
    figure.add("the faster of both / irreproducible, most of all p", {2.6, 2}, worst,
               "other cores: here a rank adds faster than it extracts multiples or bins");
  }
  plot.series.push_back(predicted.series());
  plot.series.push_back(twice.series());
  SeriesOfPoints here("1-Reduction (binned), measured here, result on all ranks");
  SeriesOfPoints twice_here("two reductions (pre-rounded), measured here");
  for (Rank ranks = 1; ranks <= settings.ranks; ranks *= 2) {
    for (const auto& row :
         runs.rows_on(ranks, {"bench", "-N", "1048576", "--candidates", "binned,pre-rounded",
                              "--repetitions", settings.quick ? "3" : "15"})) {
      const std::string candidate = row.at("candidate");
      if (candidate != "binned" && candidate != "pre-rounded") continue;
      (candidate == "binned" ? here : twice_here).add(ranks, number_in(row, "ratio"));
      figure.add(text(candidate, " / irreproducible, measured here, p = ", ranks),
                 number_in(row, "ratio"), "", 3);
    }
  }
  plot.series.push_back(here.series());
  plot.series.push_back(twice_here.series());
  figure.add(std::move(plot));
  return figure;
}

}  // namespace bracket::tools
