// SPDX-License-Identifier: MIT

#include "bracket/support/text.hpp"
#include "figures/source_figures.hpp"
#include "figures/thesis_times.hpp"

namespace bracket::tools {

SourceFigure thesis_figure_4_4(const FigureRuns& runs) {
  SourceFigure figure;
  const FigureSettings& settings = runs.settings();
  const Index size = settings.quick ? 239763 : 21410970;
  figure.say(
      text("N = ", grouped(static_cast<double>(size)),
           ". The thesis measured on bwUniCluster 2.0 and prints that the speedup levels off "
           "for p ≥ 640, with about 33 000 elements on a rank. The models charge every "
           "message and every addition the same at any p, so their speedup levels off only "
           "where messages take longer than additions: beyond that, a cluster has slower "
           "messages between nodes and a limited bandwidth of each node's memory. No machine "
           "file describes this cluster."));
  std::vector<std::string> counts;
  for (Rank ranks = 1; ranks <= (settings.quick ? 64 : 1280); ranks *= 2) {
    counts.push_back(std::to_string(ranks));
  }
  if (!settings.quick) {
    for (const char* const ranks : {"320", "640", "880", "1280"}) counts.emplace_back(ranks);
  }
  viz::Plot plot{.title = "Time on one rank divided by time on p ranks",
                 .x = {.title = "ranks p", .logarithmic = true},
                 .y = {.title = "speedup", .logarithmic = true},
                 .diagonal = "p"};
  viz::Plot times{.title = "Time over p",
                  .x = {.title = "ranks p", .logarithmic = true},
                  .y = {.title = "time", .unit = viz::PlotUnit::seconds, .logarithmic = true}};
  const auto add = [&](const std::string& name, const PlottedRows& rows, const std::string& key) {
    SeriesOfPoints speedup(name);
    SeriesOfPoints time(name);
    for (const double ranks : numbers_in(rows, "ranks")) {
      for (const auto& row : rows) {
        if (number_in(row, "ranks") != ranks) continue;
        const double seconds = number_in(row, key);
        speedup.add(ranks, number_in(rows.front(), key) / seconds);
        time.add(ranks, seconds);
        if (ranks == 256 || ranks == 640 || ranks == 1280 || key == "measured_seconds") {
          figure.add(text("speedup, ", name, ", p = ", ranks),
                     number_in(rows.front(), key) / seconds, "", 3);
        }
      }
    }
    plot.series.push_back(speedup.series());
    times.series.push_back(time.series());
  };
  const auto simulated = [&](const std::vector<std::string>& machine) {
    std::vector<std::string> words{"simulate",           "--engine", "loggops",       "-N",
                                   std::to_string(size), "--plan",   "buffered:4:32", "--sweep",
                                   "p=" + joined(counts)};
    words.insert(words.end(), machine.begin(), machine.end());
    return runs.rows(words);
  };
  add("LogGOPS, machine thesis", simulated({"--machine", "thesis"}), "simulated_seconds");
  add("LogGOPS, messages of thesis-node, 0.8 ns an addition",
      simulated({"--machine", "thesis-node", "--t-add", "0.8e-9"}), "simulated_seconds");
  std::vector<Index> measured;
  for (Rank ranks = 1; ranks <= settings.ranks; ranks *= 2) measured.push_back(ranks);
  std::vector<std::string> bench{"bench",
                                 "-p",
                                 joined(measured),
                                 "-N",
                                 std::to_string(size),
                                 "--candidates",
                                 "accumulate,buffered,binned",
                                 "--repetitions",
                                 settings.quick ? "3" : "15",
                                 "--launcher",
                                 settings.launcher};
  if (settings.oversubscribe) bench.emplace_back("--oversubscribe");
  const auto here = runs.rows(bench);
  for (const auto& [candidate, name] :
       {std::pair("buffered", "tree"), std::pair("accumulate", "std::accumulate"),
        std::pair("binned", "binned")}) {
    PlottedRows of_candidate;
    for (const auto& row : here) {
      if (row.at("candidate") == candidate) of_candidate.push_back(row);
    }
    add(text(name, ", measured here"), of_candidate, "measured_seconds");
  }
  figure.add(std::move(plot));
  figure.add(std::move(times));
  return figure;
}

}  // namespace bracket::tools
