// SPDX-License-Identifier: MIT

#include "diff/diff_rows.hpp"

#include <fmt/format.h>

#include "report/row_plots.hpp"

namespace bracket::tools {

std::string name_of(const record::Communicator& communicator) {
  if (communicator.name == "MPI_COMM_WORLD") return communicator.name;
  const auto& members = communicator.members;
  std::string name = "ranks ";
  for (std::size_t i = 0; i < members.size();) {
    std::size_t last = i;
    while (last + 1 < members.size() && members[last + 1] == members[last] + 1) ++last;
    if (name.size() > 40) {
      name += ",...";
      break;
    }
    if (i > 0) name += ',';
    name +=
        last == i ? fmt::format("{}", members[i]) : fmt::format("{}-{}", members[i], members[last]);
    i = last + 1;
  }
  return fmt::format("{}, number {}", name, communicator.number);
}

nlohmann::ordered_json row_of(const record::Comparison& comparison,
                              const record::Divergence& divergence) {
  const auto or_null = [](const auto& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
  };
  nlohmann::ordered_json row{
      {"diverged", true},
      {"cause", name_of(divergence.cause)},
      {"call", divergence.call},
      {"communicator", divergence.communicator},
      {"members", name_of(comparison.communicators[divergence.communicator])},
      {"rank", or_null(divergence.rank)},
      {"item", or_null(divergence.item)},
      {"ulps", or_null(divergence.ulps)},
      {"operation", divergence.operation},
      {"site", divergence.site}};
  if (!divergence.first.empty()) {
    row["first"] = divergence.first;
    row["second"] = divergence.second;
  }
  if (divergence.input_ulps) row["input_ulps"] = *divergence.input_ulps;
  if (divergence.output_ulps) row["output_ulps"] = *divergence.output_ulps;
  row["position"] = divergence.position;
  row["explanation"] = divergence.what;
  return row;
}

std::vector<Column> diff_columns() {
  return {{"call", "call"},
          {"members", "communicator"},
          {"cause", "cause"},
          {"rank", "rank"},
          {"item", "item"},
          {"ulps", "ulps"},
          {"input_ulps", "ulps, inputs"},
          {"output_ulps", "ulps, outputs"},
          {"operation", "operation"},
          {"site", "site"}};
}

viz::Plot ulps_over_calls(const PlottedRows& rows) {
  viz::Plot plot = measures_over(
      rows, {.title = "call", .unit = viz::PlotUnit::number, .from_zero = false}, "position",
      {{"input_ulps", "inputs"}, {"output_ulps", "outputs"}}, viz::PlotUnit::number);
  plot.title = "Largest difference of the recorded items";
  plot.y.title = "ulps";
  plot.y.logarithmic = true;
  for (viz::PlotSeries& series : plot.series) series.form = viz::PlotSeries::Form::points;
  return plot;
}

std::string verdict(const record::Comparison& comparison, const record::Divergence& divergence) {
  std::string words =
      fmt::format("the runs differ first at call {} of {}: {}\n{} at {}\n", divergence.call,
                  name_of(comparison.communicators[divergence.communicator]),
                  name_of(divergence.cause), divergence.operation, divergence.site);
  std::string place;
  if (divergence.rank) place = fmt::format("rank {}", *divergence.rank);
  if (divergence.item) {
    const bool disagree = divergence.cause == record::Cause::ranks_disagree;
    place += fmt::format("{}item {}", place.empty() ? "" : ", ", *divergence.item);
    if (!divergence.first.empty()) {
      place += fmt::format(": {} {}, {} {}", divergence.first, disagree ? "on other ranks" : "in A",
                           divergence.second, disagree ? "here" : "in B");
    }
  }
  if (divergence.ulps) {
    place += fmt::format(", {} {}", *divergence.ulps, *divergence.ulps == 1 ? "ulp" : "ulps");
  }
  if (!place.empty()) words += place + '\n';
  return words + divergence.what + '\n';
}

}  // namespace bracket::tools
