// SPDX-License-Identifier: MIT

#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bracket/record/compare.hpp"
#include "bracket/viz/plot.hpp"
#include "report/row_names.hpp"
#include "rows/row_table.hpp"

namespace bracket::tools {

/// Name of a communicator: `MPI_COMM_WORLD`, or its ranks and its number among those with the same
/// members.
std::string name_of(const record::Communicator& communicator);

/// Row of a call that differs.
nlohmann::ordered_json row_of(const record::Comparison& comparison,
                              const record::Divergence& divergence);

/// Columns of a table of calls that differ.
std::vector<Column> diff_columns();

/// Ulps of inputs and outputs over the calls.
viz::Plot ulps_over_calls(const PlottedRows& rows);

/// The first difference in a few lines.
std::string verdict(const record::Comparison& comparison, const record::Divergence& divergence);

}  // namespace bracket::tools
