// SPDX-License-Identifier: MIT

#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/report.hpp"
#include "rows/row_table.hpp"

namespace bracket::tools {

/// A table of a row: its `plans`, `sites` or `sizes`.
struct CostTable {
  std::string title;
  std::vector<Column> columns;
  std::vector<nlohmann::ordered_json> rows;
};

/// Tables of a row for people. At most `most` sites are shown.
std::vector<CostTable> cost_tables(const nlohmann::ordered_json& row, std::size_t most);

/// Sentences above the tables.
std::vector<std::string> cost_sentences(const nlohmann::ordered_json& row);

/// Plot of the changes of a table of plans.
viz::Plot change_by_plan(const std::vector<nlohmann::ordered_json>& plans);

}  // namespace bracket::tools
