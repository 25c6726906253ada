// SPDX-License-Identifier: MIT

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/report.hpp"
#include "rows/scorecards.hpp"

namespace bracket::tools {

/// Columns that give the names of rows of predicted and measured schedules, apart from their sizes.
inline const std::vector<std::string> schedule_keys{
    "plan",  "distribution", "rank_order", "order", "collective",
    "items", "fields",       "algorithm",  "op",    "type"};

/// Returns the table of the models' errors for a report; nothing without a measured row.
std::optional<ReportTable> scorecard_table(const Scorecards& cards);

}  // namespace bracket::tools
