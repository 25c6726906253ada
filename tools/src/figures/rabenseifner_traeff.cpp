// SPDX-License-Identifier: MIT

#include <fmt/format.h>
#include <array>
#include <cmath>

#include "bracket/support/text.hpp"
#include "figures/source_figures.hpp"

namespace bracket::tools {

namespace {

// The unit of all times is alpha, the time to start a message. Every number of ranks in table 1
// divides this length of a vector, and each half, quarter and so on that occurs.
constexpr Index items = Index{64} * 9 * 5 * 7 * 13 * 23;
constexpr double alpha = 1e-6;

/// A line of table 1: times of the four protocols.
struct Line {
  Rank ranks;
  char size;  ///< S, M, L or X (XL): beta m = 0.1, 1, 10 or 100 alpha; gamma m is a tenth of it
  std::array<double, 4> times;
};

constexpr std::array<Line, 23> lines{{
    {3, 'S', {2.22, 3.32, 4.14, 4.21}},  {3, 'M', {4.20, 6.20, 5.40, 6.10}},
    {3, 'L', {24.0, 35.0, 18.0, 25.0}},  {5, 'S', {3.44, 4.43, 7.17, 6.26}},
    {5, 'M', {7.40, 8.30, 8.68, 8.63}},  {5, 'L', {47.0, 47.0, 23.8, 32.3}},
    {7, 'S', {3.66, 4.43, 9.18, 6.26}},  {7, 'M', {9.60, 8.30, 10.8, 8.63}},
    {7, 'L', {69.0, 47.0, 27.0, 32.3}},  {13, 'S', {5.32, 5.54, 16.2, 8.29}},
    {13, 'M', {17.2, 10.4, 18.0, 10.9}}, {13, 'L', {136, 59.0, 35.4, 36.9}},
    {15, 'S', {5.54, 5.54, 18.2, 8.29}}, {15, 'M', {19.4, 10.4, 20.0, 10.9}},
    {15, 'L', {158, 59.0, 37.6, 36.9}},  {23, 'S', {7.42, 6.65, 27.2, 10.3}},
    {23, 'M', {29.2, 12.5, 29.0, 13.0}}, {23, 'L', {247, 71.0, 47.1, 40.2}},
    {23, 'X', {2425, 656, 228, 312}},    {63, 'S', {12.8, 7.66, 68.2, 12.3}},
    {63, 'M', {74.2, 13.6, 70.1, 15.1}}, {63, 'L', {688, 73.0, 88.7, 42.9}},
    {63, 'X', {6826, 667, 275, 321}},
}};

/// The paper's columns, with the order and the plan that stand for them. Dissemination sends every
/// element to every rank, so it follows the sequential order: each rank receives the elements one
/// by one and adds them.
struct Protocol {
  std::string name;
  std::string order;
  std::string plan;
};

const std::array<Protocol, 4>& protocols() {
  static const std::array<Protocol, 4> all{
      {{"ring, latency-opt.", "sequential", "dissemination"},
       {"elimination, latency-opt.", "associative", text("elimination:", items)},
       {"ring, bandwidth-opt.", "associative", "ring:1"},
       {"elimination, bandwidth-opt.", "associative", "elimination:1"}}};
  return all;
}

double beta_of(char size) { return size == 'S' ? 0.1 : size == 'M' ? 1 : size == 'L' ? 10 : 100; }

/// Times of the four protocols by LogGP, in units of alpha.
std::array<double, 4> times_of(const FigureRuns& runs, const Line& line) {
  const double beta = beta_of(line.size) * alpha / static_cast<double>(items);
  const auto seconds = [&](const std::string& order, const std::string& plans) {
    return runs.rows({"compare",
                      "--predict",
                      "--all",
                      "-N",
                      std::to_string(line.ranks),
                      "-p",
                      std::to_string(line.ranks),
                      "--items",
                      std::to_string(items),
                      "--distribution",
                      "lower",
                      "--order",
                      order,
                      "--plan",
                      plans,
                      "--latency",
                      fmt::format("{}", alpha),
                      "--overhead",
                      "0",
                      "--gap",
                      fmt::format("{}", alpha),
                      "--gap-per-byte",
                      fmt::format("{}", beta / 8),
                      "--t-add",
                      fmt::format("{}", beta / 10)});
  };
  std::array<double, 4> times{};
  times[0] = number_in(seconds(protocols()[0].order, protocols()[0].plan).at(0), "loggp_seconds");
  const auto others =
      seconds("associative", joined(std::vector<std::string>{
                                 protocols()[1].plan, protocols()[2].plan, protocols()[3].plan}));
  for (std::size_t i = 1; i < times.size(); ++i) {
    times[i] = number_in(others.at(i - 1), "loggp_seconds");
  }
  for (double& time : times) time /= alpha;
  return times;
}

int decimals_of(double printed) { return printed < 10 ? 2 : printed < 100 ? 1 : 0; }

std::string reason_of(const Line& line, std::size_t protocol) {
  if (protocol != 1) return "the paper adds rounded numbers";
  const std::string hidden =
      "in a 3-2 elimination that exchanges all items, the first rank hides an addition while it "
      "waits";
  return line.ranks == 63 ? "the paper prints 6 β m; its formula gives 7 β m; and " + hidden
                          : hidden;
}

/// A figure of the paper that shows the messages of a protocol.
SourceFigure protocol_figure(const FigureRuns& runs, const std::vector<Rank>& counts,
                             const std::string& plan, Index vector, const std::string& words) {
  SourceFigure figure;
  figure.say(words);
  figure.say(
      "The plots show what each rank does over time, by LogGOPS: in units of 1 µs for each end of "
      "a "
      "message, with fast additions. The paper draws the same exchanges as boxes.");
  for (const Rank ranks : counts) {
    const std::vector<std::string> words_of_schedule{"simulate",
                                                     "--engine",
                                                     "loggops",
                                                     "-N",
                                                     std::to_string(ranks),
                                                     "-p",
                                                     std::to_string(ranks),
                                                     "--items",
                                                     std::to_string(vector),
                                                     "--all",
                                                     "--order",
                                                     "associative",
                                                     "--plan",
                                                     plan,
                                                     "--latency",
                                                     "0",
                                                     "--overhead",
                                                     "1e-6",
                                                     "--gap",
                                                     "0",
                                                     "--gap-per-byte",
                                                     "0",
                                                     "--t-add",
                                                     "1e-10"};
    auto traced = words_of_schedule;
    traced.emplace_back("--chrome-trace");
    const auto trace = nlohmann::json::parse(runs.file_of(traced, ".json"));
    viz::Plot plot{.title = text("Plan ", plan, ", p = ", ranks),
                   .x = {.title = "time", .unit = viz::PlotUnit::seconds},
                   .y = {.title = "rank"}};
    for (const auto& [kind, shown] :
         {std::pair("send", "sends"), std::pair("receive", "receives")}) {
      viz::PlotSeries series{.name = shown, .form = viz::PlotSeries::Form::spans};
      for (const auto& event : trace.at("traceEvents")) {
        if (event.at("ph") != "X" || event.at("name") != kind) continue;
        const double begin = 1e-6 * event.at("ts").get<double>();
        const double end = begin + 1e-6 * event.at("dur").get<double>();
        series.points.push_back(
            {.x = begin, .y = event.at("tid").get<double>(), .x_interval = {begin, end}});
      }
      plot.series.push_back(std::move(series));
    }
    for (Rank rank = 0; rank < ranks; ++rank) plot.y.names.push_back(std::to_string(rank));
    figure.add(std::move(plot));
    const auto row = runs.rows(words_of_schedule).at(0);
    figure.add(text("messages, p = ", ranks), number_in(row, "messages"));
  }
  return figure;
}

}  // namespace

SourceFigure rabenseifner_traeff_table_1(const FigureRuns& runs) {
  SourceFigure figure;
  figure.say(
      "Times of all-reduces of vectors in units of α, the time to start a message, by LogGP on the "
      "paper's one-ported machine: L = g = α, o = 0, β for each item of a message and γ = β / 10 "
      "for "
      "each addition. The sizes S, M, L and XL have β m = 0.1, 1, 10 and 100 α.");
  figure.say(
      "The plans are dissemination in the sequential order, elimination without halving, ring and "
      "elimination with halving.");
  viz::Plot plot{.title = "Regenerated time over printed time",
                 .x = {.title = "printed, in α", .logarithmic = true},
                 .y = {.title = "regenerated, in α", .logarithmic = true},
                 .diagonal = "equal"};
  for (const Protocol& protocol : protocols()) {
    plot.series.push_back({.name = protocol.name, .form = viz::PlotSeries::Form::points});
  }
  for (const Line& line : lines) {
    if (runs.settings().quick && line.ranks > 5) continue;
    const auto times = times_of(runs, line);
    for (std::size_t i = 0; i < times.size(); ++i) {
      const double printed = line.times[i];
      figure.add(text("p = ", line.ranks, ", ", line.size == 'X' ? "XL" : text(line.size), ", ",
                      protocols()[i].name),
                 {printed, decimals_of(printed)}, times[i], reason_of(line, i));
      plot.series[i].points.push_back({.x = printed, .y = times[i]});
    }
  }
  figure.add(std::move(plot));
  return figure;
}

SourceFigure rabenseifner_traeff_figures_2_3(const FigureRuns& runs) {
  return protocol_figure(
      runs, {8}, "butterfly:16", 64,
      "Eight ranks reduce a vector of 64 items, halving it while it has more than 16 items. In the "
      "third round, they exchange whole shares, and then collect the shares of the rounds before.");
}

SourceFigure rabenseifner_traeff_figure_4(const FigureRuns& runs) {
  return protocol_figure(runs, {15, 13}, "elimination-overlapping:1024", 1,
                         "A 3-2 elimination wherever the number of groups is odd.");
}

SourceFigure rabenseifner_traeff_figure_5(const FigureRuns& runs) {
  return protocol_figure(runs, {15, 13}, "elimination:1024", 1,
                         "One 3-2 elimination and pairs of 2-1 eliminations, then a butterfly.");
}

SourceFigure rabenseifner_traeff_figure_6(const FigureRuns& runs) {
  return protocol_figure(runs, {12}, "composed:3:1024", 1,
                         "Two rounds of the butterfly, then rings of three ranks for the factor 3 "
                         "of p = 12.");
}

}  // namespace bracket::tools
