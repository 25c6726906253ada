// SPDX-License-Identifier: MIT

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bracket/model/scorecard.hpp"
#include "models/cost_models.hpp"
#include "rows/row_table.hpp"

namespace bracket::tools {

/// Accuracy of each model on the rows of one comparison.
class Scorecards {
 public:
  /// Adds a row. `group` names its reduction, and `choice` its plan and distribution.
  void add(const CostModel& model, const std::string& group, const std::string& choice,
           const JudgedRow& row);

  /// Prints a row for each model that has rows. Below a table, also prints a sentence with LogGP's
  /// choice for each reduction.
  void report(bool json) const;

  /// Columns and rows of that table. In JSON, figures that no model has are null.
  static std::vector<Column> columns();
  [[nodiscard]] std::vector<nlohmann::ordered_json> rows(bool json) const;

 private:
  struct JudgedGroup {
    std::string name;
    std::vector<JudgedRow> rows;
    std::vector<std::string> choices;
  };
  using JudgedGroups = std::vector<JudgedGroup>;

  static void print_choices(const JudgedGroups& groups);

  std::map<std::string_view, JudgedGroups> models_;                        // by name
  std::map<std::string_view, std::map<std::string, std::size_t>> places_;  // of groups, by model
};

}  // namespace bracket::tools
