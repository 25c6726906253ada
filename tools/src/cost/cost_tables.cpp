// SPDX-License-Identifier: MIT

#include "cost/cost_tables.hpp"

#include <fmt/format.h>

#include "bracket/model/range.hpp"
#include "report/row_plots.hpp"

namespace bracket::tools {

namespace {

using Json = nlohmann::ordered_json;

}  // namespace

std::vector<CostTable> cost_tables(const Json& row, std::size_t most) {
  using Shown = Column::Shown;
  std::vector<CostTable> tables{{"Plans",
                                 {{"plan", "plan"},
                                  {"algorithm", "algorithm"},
                                  {"predicted_seconds", "run [s]", Shown::rounded},
                                  {"change_seconds", "change [s]", Shown::rounded},
                                  {"change_percent", "change [%]", Shown::rounded}},
                                 row.at("plans")},
                                {"Call sites",
                                 {{"site", "site"},
                                  {"operation", "operation"},
                                  {"calls", "calls"},
                                  {"input_bytes", "bytes"},
                                  {"site_seconds", "recorded [s]", Shown::rounded},
                                  {"share", "of the run", Shown::share},
                                  {"waiting_seconds", "waiting [s]", Shown::rounded},
                                  {"transfer_seconds", "transfer [s]", Shown::rounded}},
                                 row.at("sites")},
                                {"Cheapest plan for each size",
                                 {{"ranks", "ranks"},
                                  {"collective", "collective"},
                                  {"root", "root position"},
                                  {"items", "items"},
                                  {"op", "operator"},
                                  {"type", "type"},
                                  {"calls", "calls"},
                                  {"library_call_seconds", "library [us]", Shown::microseconds},
                                  {"plan", "plan"},
                                  {"algorithm", "algorithm"},
                                  {"call_seconds", "plan [us]", Shown::microseconds}},
                                 row.at("sizes")}};
  auto& sites = tables[1].rows;
  if (sites.size() > most) sites.resize(most);
  return tables;
}

std::vector<std::string> cost_sentences(const Json& row) {
  const double recorded = row.at("recorded_seconds").get<double>();
  const double library = row.at("library_seconds").get<double>();
  const double inside = row.at("reductions_seconds").get<double>();
  const auto in_recorder =
      row.contains("recorder_seconds")
          ? fmt::format(", and {:.3g} s in the recorder", row["recorder_seconds"].get<double>())
          : std::string();
  std::vector<std::string> sentences{
      fmt::format("recorded run: {:.4g} s, of which {:.4g} s ({:.3g} %) in reductions to replace{}",
                  recorded, inside, recorded > 0 ? 100 * inside / recorded : 0, in_recorder),
      fmt::format("predicted on {} with the library's algorithm: {:.4g} s",
                  counted(row.at("ranks").get<Index>(), "rank"), library)};
  for (const auto& note : row.at("notes")) sentences.push_back(note.get<std::string>());
  return sentences;
}

viz::Plot change_by_plan(const std::vector<Json>& plans) {
  viz::Plot plot = points_by_row(plans, {{"change_percent", "change"}},
                                 RowNames::by(plans, {"plan", "algorithm"}), viz::PlotUnit::number);
  plot.title = "Change of the run, per cent";
  return plot;
}

}  // namespace bracket::tools
