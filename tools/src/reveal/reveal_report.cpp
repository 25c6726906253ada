// SPDX-License-Identifier: MIT

#include "reveal/reveal_report.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "bracket/model/ranked_order.hpp"
#include "bracket/viz/additions_picture.hpp"
#include "report/row_plots.hpp"

namespace bracket::tools {

namespace {

using Json = nlohmann::ordered_json;

/// What a row is about: `1000 items by ring`.
std::string subject_of(const Json& row) {
  const std::string algorithm = row.value("library_algorithm", std::string());
  return counted(row.at("items").get<std::int64_t>(), "item") +
         (algorithm.empty() ? "" : " by " + algorithm);
}

/// Pictures of the different trees, each with the rows that have it.
std::vector<viz::Figure> pictures_of(const std::vector<ItemOrders>& orders,
                                     const std::vector<Json>& rows) {
  std::vector<viz::Figure> pictures;
  std::map<std::string, std::size_t> seen;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!orders[i].known()) continue;
    const RankedOrder& order = *orders[i].classes.front().order;
    if (order.order.elements() < 2 || order.order.elements() > most_ranks_of_additions) continue;
    const auto [found, is_new] = seen.try_emplace(describe(order), pictures.size());
    if (is_new) {
      const std::string name = fmt::format("additions-{}", pictures.size() + 1);
      const std::string title = fmt::format("Order {} of additions", pictures.size() + 1);
      pictures.push_back({title, viz::page_svg(additions_picture(order).svg(), name, title), ""});
    }
    std::string& note = pictures[found->second].note;
    note += (note.empty() ? "Item 0 of " : "; ") + subject_of(rows[i]);
  }
  for (viz::Figure& picture : pictures) {
    picture.note += ". The numbers are those of the ranks; an addition is above its operands.";
  }
  return pictures;
}

}  // namespace

ReportTable reveal_table(const std::vector<ItemOrders>& orders, std::vector<Json> rows) {
  ReportTable table{.title = "Orders of the MPI library"};
  table.columns = {{"library_algorithm", "algorithm of the library"},
                   {"items", "items"},
                   {"algorithm", "the order is that of"},
                   {"varies", "varies with the"},
                   {"tree", "order of item 0"},
                   {"probes", "probes"},
                   {"measured_seconds", "time [us]", Column::Shown::microseconds},
                   {"measured_low_seconds", "95 % from [us]", Column::Shown::microseconds},
                   {"measured_high_seconds", "to [us]", Column::Shown::microseconds}};
  table.pictures = pictures_of(orders, rows);
  for (Json& row : rows) {
    std::string words;
    for (const Json& what : row.at("varies")) {
      words += (words.empty() ? "" : ", ") + what.get<std::string>();
    }
    row["varies"] = words.empty() ? "nothing" : words;
  }
  if (any_has(rows, measured_time().key)) {
    viz::Plot times =
        lines_over(rows, setting_axis(rows, "items", "items of a vector"), "items", measured_time(),
                   RowNames::by(rows, {"library_algorithm"}), viz::PlotUnit::seconds);
    times.title = "Time over the length of the vectors";
    table.plots.push_back(std::move(times));
  }
  table.rows = std::move(rows);
  return table;
}

}  // namespace bracket::tools
