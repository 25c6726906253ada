// SPDX-License-Identifier: MIT

#include "rows/scorecards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <optional>

#include "rows/row_table.hpp"

namespace bracket::tools {

namespace {

/// A table shows no column for figures that no model has; in JSON they are null.
nlohmann::ordered_json row_of(std::string_view model, const Scorecard& card, bool json) {
  nlohmann::ordered_json row{{"model", model},
                             {"rows", card.rows},
                             {"median_error", card.median_error},
                             {"p90_error", card.p90_error}};
  const auto tell = [&](const char* key, const std::optional<double>& figure) {
    if (figure) {
      row[key] = *figure;
    } else if (json) {
      row[key] = nullptr;
    }
  };
  tell("winner_accuracy", card.winner_accuracy);
  row["pairs"] = card.pairs;
  tell("pair_accuracy", card.pair_accuracy);
  tell("kendall_tau", card.kendall_tau);
  return row;
}

}  // namespace

void Scorecards::add(const CostModel& model, const std::string& group, const std::string& choice,
                     const JudgedRow& row) {
  JudgedGroups& groups = models_[model.name];
  const auto [place, is_new] = places_[model.name].emplace(group, groups.size());
  if (is_new) groups.push_back({group, {}, {}});
  groups[place->second].rows.push_back(row);
  groups[place->second].choices.push_back(choice);
}

void Scorecards::print_choices(const JudgedGroups& groups) {
  for (const JudgedGroup& group : groups) {
    const auto& rows = group.rows;
    if (rows.size() < 2) continue;
    const auto least = [&](double JudgedRow::*figure) {
      return std::min_element(
          rows.begin(), rows.end(),
          [=](const JudgedRow& a, const JudgedRow& b) { return a.*figure < b.*figure; });
    };
    const auto chosen = least(&JudgedRow::predicted);
    const auto fastest = least(&JudgedRow::measured);
    const auto name = [&](auto row) {
      return group.choices[static_cast<std::size_t>(row - rows.begin())];
    };
    fmt::print("{}: {} chooses {}, ", group.name, cost_model("loggp").title, name(chosen));
    if (chosen == fastest) {
      fmt::print("which was measured as the fastest.\n");
    } else {
      fmt::print("which was measured {:.1f} % slower than the fastest, {}{}.\n",
                 100 * (chosen->measured / fastest->measured - 1), name(fastest),
                 chosen->low <= fastest->high ? ", within their intervals" : "");
    }
  }
}

std::vector<Column> Scorecards::columns() {
  using Shown = Column::Shown;
  return {{"model", "model"},
          {"rows", "rows"},
          {"median_error", "median |error|", Shown::share},
          {"p90_error", "nine of ten below", Shown::share},
          {"winner_accuracy", "winner right", Shown::share},
          {"pairs", "clear pairs"},
          {"pair_accuracy", "in right order", Shown::share},
          {"kendall_tau", "their tau", Shown::ratio}};
}

std::vector<nlohmann::ordered_json> Scorecards::rows(bool json) const {
  std::vector<nlohmann::ordered_json> all;
  for (const CostModel& model : cost_models()) {
    const auto groups = models_.find(model.name);
    if (groups == models_.end()) continue;
    std::vector<std::vector<JudgedRow>> rows;
    for (const JudgedGroup& group : groups->second) rows.push_back(group.rows);
    all.push_back(row_of(model.title, judge(rows), json));
  }
  return all;
}

void Scorecards::report(bool json) const {
  if (models_.empty()) return;
  RowTable table(columns(), json);
  if (!json) std::cout << "\nHow far the models are off, and how often they choose right:\n";
  for (auto& row : rows(json)) table.row(std::move(row));
  table.finish();
  if (const auto loggp = models_.find(cost_model("loggp").name); !json && loggp != models_.end()) {
    print_choices(loggp->second);
  }
}

}  // namespace bracket::tools
