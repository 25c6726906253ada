// SPDX-License-Identifier: MIT

#pragma once

#include <vector>

#include "report/report.hpp"
#include "report/row_names.hpp"
#include "rows/row_table.hpp"

namespace bracket::tools {

/// The settings in which rows of `bench` differ besides the candidate and the elements.
struct BenchVariety {
  bool tuned = false;  ///< whether there is a candidate of a plan file, whose name is not its plan
  bool distributions = false;
  bool ranks = false;
};

/// Columns of `bench`.
std::vector<Column> bench_columns(const BenchVariety& variety);

/// Times and ratios of the candidates, and with several numbers of ranks their speedup.
std::vector<viz::Plot> bench_plots(const PlottedRows& rows);

/// Adds the rows of `bench` to its report, and writes it.
void report_bench(Report& report, const RowTable& table);

}  // namespace bracket::tools
