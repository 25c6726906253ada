// SPDX-License-Identifier: MIT

#pragma once

#include <string>
#include <vector>

#include "report/report.hpp"
#include "report/row_plots.hpp"
#include "rows/row_table.hpp"
#include "rows/scorecards.hpp"

namespace bracket::tools {

/// Plots of the rows of `compare`: predicted against measured times and the errors, if any row was
/// measured, and the times and the speedup over the ranks, or of each row on one number of ranks.
std::vector<viz::Plot> compare_plots(const PlottedRows& rows);

/// Writes the report of `compare`, if one is wanted. `machine` describes the machine.
void report_comparison(Report& report, const RowTable& table, const Scorecards& cards,
                       const std::string& machine);

}  // namespace bracket::tools
