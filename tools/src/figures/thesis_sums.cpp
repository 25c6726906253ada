// SPDX-License-Identifier: MIT

#include <algorithm>
#include <array>

#include "bracket/support/text.hpp"
#include "figures/source_figures.hpp"
#include "figures/thesis_times.hpp"

/// Figures of the thesis about the times of sums, but for those over the number of ranks.
namespace bracket::tools {

namespace {

viz::Plot times_plot(const std::string& title) {
  return {.title = title,
          .x = {.title = "elements N", .logarithmic = true},
          .y = {.title = "time", .unit = viz::PlotUnit::seconds, .logarithmic = true}};
}

std::string of_size(Index elements) { return text("N = ", grouped(static_cast<double>(elements))); }

/// Times of sums on the ranks of this machine.
PlottedRows measured_sums(const FigureRuns& runs, const std::vector<Index>& sizes) {
  return runs.rows_on(runs.settings().ranks,
                      {"bench", "-N", joined(sizes), "--candidates", "accumulate,buffered,binned",
                       "--repetitions", runs.settings().quick ? "3" : "15", "--samples"});
}

double measured(const PlottedRows& rows, Index elements, const std::string& candidate) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const auto& row) {
    return row.at("elements") == elements && row.at("candidate") == candidate;
  });
  return found == rows.end() ? viz::no_number : number_in(*found, "measured_seconds");
}

/// The names of bench's candidates and of the thesis's methods.
constexpr std::array<std::pair<const char*, const char*>, 3> methods{
    {{"buffered", "tree"},
     {"accumulate", "std::accumulate and MPI_Allreduce"},
     {"binned", "ReproBLAS (here: binned)"}}};

void add_measured(const FigureRuns& runs, SourceFigure& figure, const std::vector<Index>& sizes) {
  const auto rows = measured_sums(runs, sizes);
  viz::Plot plot = times_plot(text("Measured here, p = ", runs.settings().ranks));
  for (const auto& [candidate, name] : methods) {
    SeriesOfPoints series(name);
    for (const Index size : sizes) {
      series.add(static_cast<double>(size), measured(rows, size, candidate));
    }
    plot.series.push_back(series.series());
  }
  figure.add(std::move(plot));
}

/// Series of predictions on `ranks` ranks, which the figures 4.1 (a) and (b) share.
void add_predictions(const FigureRuns& runs, viz::Plot& plot, Rank ranks) {
  const auto add = [&](const std::string& name, const std::string& machine,
                       const std::vector<std::string>& words = thesis_tree,
                       const std::string& key = "loggp_seconds") {
    SeriesOfPoints series(name);
    for (const Index size : thesis_sizes(runs.settings().quick)) {
      series.add(static_cast<double>(size), predicted(runs, size, ranks, machine, words, key));
    }
    plot.series.push_back(series.series());
  };
  add("tree, LogGP, machine thesis-node", "thesis-node");
  add("tree, LogGP, machine thesis", "thesis");
  add("irreproducible, LogGP, machine thesis-node", "thesis-node",
      {"--order", "associative", "--plan", "butterfly", "--all"});
  if (!runs.settings().quick) {
    auto in_smpi = thesis_tree;
    in_smpi.emplace_back("--smpi");
    add("tree, Bracket's code in SMPI, machine thesis-node", "thesis-node", in_smpi,
        "smpi_seconds");
  }
}

}  // namespace

SourceFigure thesis_figure_3_4(const FigureRuns& runs) {
  SourceFigure figure;
  figure.say(
      "N = 504 850 elements. The thesis shows histograms of 4 000 sums on p = 256 ranks, and "
      "prints "
      "a gain of 18 %, 4 µs. Its author published the times (stelzch/allreduce, "
      "jupyter/distribution_experiments.ipynb, 2022-03-15): on average 22.98 µs with the even "
      "distribution and 18.81 µs with the optimized one of table 3.3.");
  figure.say(
      "On the machine thesis, a message occupies the processor for 70 ns and an addition takes "
      "4.15 ns, so the larger shares cost more than the saved messages gain. These figures are not "
      "the node's. On the machine thesis-node, a message occupies the processor for 830 ns and an "
      "addition takes 0.8 ns. It was fitted to sums with the even distribution alone.");
  const std::vector<std::string> distributions{"upper", "optimized-shares:0.2", "optimized:0.2"};
  const std::array<double, 2> printed{22.98, 18.81};
  viz::Plot plot{.title = "Time by distribution",
                 .x = {.title = "time", .unit = viz::PlotUnit::seconds},
                 .y = {.names = distributions}};
  const auto draw = [&](const std::string& name, const std::vector<double>& seconds) {
    SeriesOfPoints series(name, viz::PlotSeries::Form::points);
    for (std::size_t i = 0; i < seconds.size(); ++i) series.add(seconds[i], static_cast<double>(i));
    plot.series.push_back(series.series());
  };
  draw("published", {1e-6 * printed[0], 1e-6 * printed[1]});
  for (const std::string machine : {"thesis-node", "thesis"}) {
    std::vector<std::string> words{"compare",
                                   "--predict",
                                   "-N",
                                   "504850",
                                   "-p",
                                   "256",
                                   "--plan",
                                   "buffered:4:32",
                                   "--distribution",
                                   joined(distributions),
                                   "--machine",
                                   machine};
    if (!runs.settings().quick) words.emplace_back("--smpi");
    const auto rows = runs.rows(words);
    for (const auto& [key, model] : {std::pair("loggp_seconds", "LogGP"),
                                     std::pair("smpi_seconds", "Bracket's code in SMPI")}) {
      if (!any_has(rows, key)) continue;
      std::vector<double> seconds;
      for (const auto& row : rows) seconds.push_back(number_in(row, key));
      const std::string by = text(", ", model, ", ", machine);
      draw(text(model, ", ", machine), seconds);
      const std::string why = machine == "thesis"
                                  ? "the machine's messages are too fast and its additions too slow"
                                  : "";
      figure.add(text("even distribution in µs", by), {printed[0], 2}, 1e6 * seconds[0], why);
      figure.add(text("optimized distribution in µs", by), {printed[1], 2}, 1e6 * seconds[1], why);
      figure.add(text("gain in %", by), {18}, 100 * (1 - seconds[1] / seconds[0]),
                 why.empty() ? "the errors of the two times" : why);
      figure.add(text("gain of Algorithm 3 in %", by), 100 * (1 - seconds[2] / seconds[0]), "", 3);
    }
  }
  figure.add(std::move(plot));
  const auto here =
      runs.rows_on(runs.settings().ranks,
                   {"run", "--synthetic", "504850", "--plan", "buffered:4:32", "--distribution",
                    joined(distributions), "--repetitions", runs.settings().quick ? "3" : "31"});
  const double even = number_in(here.at(0), "measured_seconds");
  for (std::size_t i = 1; i < here.size(); ++i) {
    figure.add(
        text("gain of ", distributions[i], " in %, measured here, p = ", runs.settings().ranks),
        100 * (1 - number_in(here[i], "measured_seconds") / even), "few ranks send few messages",
        2);
  }
  return figure;
}

SourceFigure thesis_figure_4_1_a(const FigureRuns& runs) {
  SourceFigure figure;
  const auto published = published_times(runs);
  figure.say(words_about_published(!published.empty()));
  figure.say(
      "The predictions are LogGP's, plus the loop in the table. They end with the result on rank "
      "0. The thesis's program then broadcasts it, but does not wait for the other ranks before "
      "the "
      "next sum begins. ReproBLAS is not predicted: nobody measured its additions on this node.");
  viz::Plot plot = times_plot("Times on 256 ranks");
  add_predictions(runs, plot, 256);
  SeriesOfPoints tree("tree, published", viz::PlotSeries::Form::points);
  SeriesOfPoints without("tree, published, less the loop", viz::PlotSeries::Form::points);
  SeriesOfPoints accumulate("std::accumulate, published, less the loop",
                            viz::PlotSeries::Form::points);
  SeriesOfPoints reproblas("ReproBLAS, published, less the loop", viz::PlotSeries::Form::points);
  for (const PublishedTimes& row : published) {
    const auto size = static_cast<double>(row.elements);
    tree.add(size, row.tree);
    without.add(size, row.tree - row.loop());
    accumulate.add(size, row.accumulate - row.loop());
    reproblas.add(size, row.reproblas - row.loop());
    const double time = predicted(runs, row.elements, 256, "thesis-node") + row.loop();
    figure.add(text("tree with the loop in µs, ", of_size(row.elements)), {1e6 * row.tree, 3},
               1e6 * time,
               "thesis-node describes other days, on which small sums were faster by 3 to 6 µs");
  }
  for (const SeriesOfPoints& series : {tree, without, accumulate, reproblas}) {
    plot.series.push_back(series.series());
  }
  figure.add(std::move(plot));
  for (const auto& [machine, reason] :
       {std::pair("thesis-node", "fitted to this time among others"),
        std::pair("thesis",
                  "4.15 ns is the time of an addition to a variable in memory, on another "
                  "processor")}) {
    for (const Index size : thesis_sizes(runs.settings().quick)) {
      const std::string quantity = text("tree in µs, ", of_size(size), ", machine ", machine);
      const double time = 1e6 * predicted(runs, size, 256, machine);
      if (size == 21410970) {
        figure.add(quantity, {248}, time, reason);
      } else {
        figure.add(quantity, time);
      }
    }
  }
  add_measured(runs, figure, thesis_sizes(runs.settings().quick));
  return figure;
}

SourceFigure thesis_figure_4_1_b(const FigureRuns& runs) {
  SourceFigure figure;
  figure.say(
      "Predictions for p = 1 280 ranks. The thesis measured on the cluster bwUniCluster 2.0 and "
      "prints no numbers, and no machine file describes this cluster. It prints that the gap "
      "between the tree and the other methods is larger than for p = 256, because the tree has "
      "more "
      "messages.");
  viz::Plot plot = times_plot("Times on 1 280 ranks");
  add_predictions(runs, plot, 1280);
  for (const Index size : thesis_sizes(runs.settings().quick)) {
    figure.add(text("tree in µs, ", of_size(size), ", thesis-node"),
               1e6 * predicted(runs, size, 1280, "thesis-node"));
  }
  figure.add(std::move(plot));
  return figure;
}

SourceFigure thesis_figure_4_2(const FigureRuns& runs) {
  SourceFigure figure;
  const auto published = published_times(runs);
  figure.say(words_about_published(!published.empty()));
  figure.say(
      "The thesis prints that the tree takes less than twice as long as ReproBLAS and as "
      "std::accumulate with MPI_Allreduce, and that the latter two differ by less than 15 %.");
  viz::Plot plot{.title = "Time of the tree divided by that of other methods",
                 .x = {.title = "elements N", .logarithmic = true},
                 .y = {.title = "ratio"},
                 .y_level = viz::PlotLevel{2, "the thesis's limit"}};
  SeriesOfPoints reproblas("ReproBLAS, published, less the loop", viz::PlotSeries::Form::points);
  SeriesOfPoints accumulate("std::accumulate, published, less the loop",
                            viz::PlotSeries::Form::points);
  for (const PublishedTimes& row : published) {
    const double tree = row.tree - row.loop();
    const auto size = static_cast<double>(row.elements);
    reproblas.add(size, tree / (row.reproblas - row.loop()));
    accumulate.add(size, tree / (row.accumulate - row.loop()));
    figure.add(text("tree / ReproBLAS, published, less the loop, ", of_size(row.elements)),
               tree / (row.reproblas - row.loop()), "", 3);
  }
  const auto sizes = thesis_sizes(runs.settings().quick);
  const auto here = measured_sums(runs, sizes);
  SeriesOfPoints binned(text("binned, measured here, p = ", runs.settings().ranks));
  SeriesOfPoints loops(text("std::accumulate, measured here, p = ", runs.settings().ranks));
  for (const Index size : sizes) {
    const double tree = measured(here, size, "buffered");
    binned.add(static_cast<double>(size), tree / measured(here, size, "binned"));
    loops.add(static_cast<double>(size), tree / measured(here, size, "accumulate"));
    figure.add(text("tree / binned, measured here, ", of_size(size)),
               tree / measured(here, size, "binned"), "", 3);
  }
  plot.series = {reproblas.series(), accumulate.series(), binned.series(), loops.series()};
  figure.add(std::move(plot));
  return figure;
}

SourceFigure thesis_figure_4_3(const FigureRuns& runs) {
  const Index size = runs.settings().quick ? 239763 : 21410970;
  SourceFigure figure;
  figure.say(
      text("Times measured here on p = ", runs.settings().ranks,
           " ranks. The thesis shows violin plots for p = 256, and prints for N = 21 410 970 "
           "that the tree is 2 % slower than ReproBLAS."));
  viz::Plot plot{.title = "Share of the samples that are faster",
                 .x = {.title = "time", .unit = viz::PlotUnit::seconds},
                 .y = {.title = "samples", .unit = viz::PlotUnit::share}};
  const auto rows = measured_sums(runs, thesis_sizes(runs.settings().quick));
  for (const auto& [candidate, name] : methods) {
    SeriesOfPoints series(name, viz::PlotSeries::Form::steps);
    for (const auto& row : rows) {
      if (row.at("candidate") != candidate || row.at("elements") != size) continue;
      auto samples = row.at("samples_seconds").get<std::vector<double>>();
      std::sort(samples.begin(), samples.end());
      for (std::size_t i = 0; i < samples.size(); ++i) {
        series.add(samples[i], static_cast<double>(i + 1) / static_cast<double>(samples.size()));
      }
      figure.add(text(name, ", median in µs"), 1e6 * number_in(row, "measured_seconds"));
    }
    plot.series.push_back(series.series());
  }
  figure.add("tree / ReproBLAS (here: binned)", {1.02, 2},
             measured(rows, size, "buffered") / measured(rows, size, "binned"),
             "another processor and fewer ranks; kernels with other speeds");
  figure.add(std::move(plot));
  return figure;
}

}  // namespace bracket::tools
