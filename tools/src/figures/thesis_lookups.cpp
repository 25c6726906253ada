// SPDX-License-Identifier: MIT

#include <algorithm>
#include <chrono>
#include <map>

#include "bracket/model/distribution.hpp"
#include "bracket/support/text.hpp"
#include "figures/source_figures.hpp"

/// Figures of the thesis about the work of one rank.
namespace bracket::tools {

namespace {

/// Measures seconds for each call of `lookup` on scattered elements.
template <class Lookup>
double seconds_of(Index elements, const Lookup& lookup) {
  using Clock = std::chrono::steady_clock;
  constexpr std::uint64_t asked = 4096;
  Index sum = 0;
  double best = 1;
  for (int round = 0; round < 5; ++round) {
    const auto begin = Clock::now();
    for (std::uint64_t i = 0; i < asked; ++i) {
      // Fibonacci hashing scatters consecutive numbers.
      const std::uint64_t scattered = (i * 0x9E3779B97F4A7C15U) >> 16U;
      sum += lookup(static_cast<Index>(scattered % static_cast<std::uint64_t>(elements)));
    }
    const std::chrono::duration<double> took = Clock::now() - begin;
    best = std::min(best, took.count() / static_cast<double>(asked));
  }
  volatile Index used = sum;
  static_cast<void>(used);
  return best;
}

/// Gives a drawing of Graphviz the colours of the page's style sheet.
std::string in_colours_of_page(const std::string& document) {
  std::string svg = document.substr(std::min(document.find("<svg"), document.size()));
  for (const auto& [drawn, shown] :
       {std::pair<std::string, std::string>{"<svg ", "<svg fill=\"currentColor\" "},
        {"fill=\"white\"", "fill=\"var(--page)\""},
        {"fill=\"#f5f5f5\"", "fill=\"var(--panel)\""},
        {"stroke=\"#424242\"", "stroke=\"currentColor\""}}) {
    for (std::size_t at = svg.find(drawn); at != std::string::npos;
         at = svg.find(drawn, at + shown.size())) {
      svg.replace(at, drawn.size(), shown);
    }
  }
  return svg;
}

}  // namespace

SourceFigure thesis_figure_3_6(const FigureRuns& runs) {
  SourceFigure figure;
  figure.say(
      "Time to find the rank of an element, measured on one core of this machine. The thesis "
      "compares a loop over all start indices with a std::map. Bracket searches the boundaries of "
      "the distribution by bisection, and schedules hold the ranks of all messages, so that a sum "
      "looks up none. The thesis prints no numbers: the loop takes time in O(p), the others in "
      "O(log p).");
  constexpr Index elements = 1 << 21;
  viz::Plot plot{.title = "Time of a lookup",
                 .x = {.title = "ranks p", .logarithmic = true},
                 .y = {.title = "time", .unit = viz::PlotUnit::seconds, .logarithmic = true}};
  SeriesOfPoints loop("loop");
  SeriesOfPoints map("std::map");
  SeriesOfPoints search("Bracket");
  const Rank most = runs.settings().quick ? 256 : 4096;
  for (Rank ranks = 8; ranks <= most; ranks *= 2) {
    const Distribution distribution = upper_distribution(elements, ranks);
    const auto& begins = distribution.boundaries();
    std::map<Index, Rank> starts;
    for (Rank rank = 0; rank < ranks; ++rank) starts[distribution.range(rank).begin] = rank;
    const double in_loop = seconds_of(elements, [&](Index x) {
      std::size_t rank = 0;
      while (begins[rank + 1] <= x) ++rank;
      return static_cast<Index>(rank);
    });
    const double in_map =
        seconds_of(elements, [&](Index x) { return std::prev(starts.upper_bound(x))->second; });
    const double bisected = seconds_of(elements, [&](Index x) { return distribution.owner(x); });
    loop.add(ranks, in_loop);
    map.add(ranks, in_map);
    search.add(ranks, bisected);
    if (ranks != 8 && ranks != 256 && ranks != most) continue;
    figure.add(text("loop in ns, p = ", ranks), 1e9 * in_loop, "", 3);
    figure.add(text("std::map in ns, p = ", ranks), 1e9 * in_map, "", 3);
    figure.add(text("Bracket in ns, p = ", ranks), 1e9 * bisected, "", 3);
  }
  plot.series = {loop.series(), map.series(), search.series()};
  figure.add(std::move(plot));
  return figure;
}

SourceFigure thesis_figure_3_7(const FigureRuns& runs) {
  SourceFigure figure;
  figure.say(
      "The thesis draws how two registers of AVX2 add eight elements in tree order. Below is the "
      "tree of these additions. Bracket's kernels load one vector from each of several parts of a "
      "block instead, so that most additions need no shuffle. Their sums must have the bits of the "
      "scalar kernel, which adds as the tree says.");
  figure.add(viz::Figure{
      .title = "The tree of eight elements",
      .svg = in_colours_of_page(runs.file_of({"draw", "-N", "8", "-p", "1", "-o"}, ".svg"))});
  const auto sum_by = [&](const std::vector<std::string>& kernel) {
    std::vector<std::string> words{"run", "--synthetic", "4099", "--repetitions",
                                   "2",   "--warm-up",   "1"};
    words.insert(words.end(), kernel.begin(), kernel.end());
    return runs.rows(words).at(0);
  };
  const auto bits_of = [](const auto& row) {
    return row.at("result_bits").template get<std::string>();
  };
  const auto fastest = sum_by({});
  const auto scalar = sum_by({"--kernel", "scalar"});
  figure.add(text("sums of 4 099 elements with other bits than the scalar kernel, kernel ",
                  fastest.at("kernel").get<std::string>()),
             {0}, bits_of(fastest) == bits_of(scalar) ? 0 : 1);
  return figure;
}

SourceFigure thesis_figure_3_8(const FigureRuns& runs) {
  SourceFigure figure;
  figure.say(
      "Time of a sum on one rank of this machine, by std::accumulate and by the tree with vector "
      "instructions. The thesis prints that AVX2 is faster by a factor of more than 2, but slower "
      "for N < 64. Bracket's times include the call of a reducer. The recursive implementation of "
      "the thesis has no counterpart.");
  std::vector<Index> sizes;
  const Index most = runs.settings().quick ? 4096 : Index{1} << 24;
  for (Index size = 1; size <= most; size *= 4) sizes.push_back(size);
  viz::Plot plot{.title = "Time of a sum on one rank",
                 .x = {.title = "elements N", .logarithmic = true},
                 .y = {.title = "time", .unit = viz::PlotUnit::seconds, .logarithmic = true}};
  SeriesOfPoints accumulate("std::accumulate");
  SeriesOfPoints tree("tree");
  std::map<Index, double> seconds;
  for (const auto& row :
       runs.rows({"bench", "-N", joined(sizes), "--candidates", "accumulate,buffered",
                  "--repetitions", runs.settings().quick ? "3" : "15"})) {
    const auto size = row.at("elements").get<Index>();
    const double time = number_in(row, "measured_seconds");
    if (row.at("candidate") == "accumulate") {
      accumulate.add(static_cast<double>(size), time);
      seconds[size] = time;
    } else if (row.at("candidate") == "buffered") {
      tree.add(static_cast<double>(size), time);
      figure.add(text("time of std::accumulate / time of the tree, N = ",
                      grouped(static_cast<double>(size))),
                 seconds.at(size) / time, size < 64 ? "the call takes longer than the sum" : "", 3);
    }
  }
  plot.series = {accumulate.series(), tree.series()};
  figure.add(std::move(plot));
  return figure;
}

}  // namespace bracket::tools
