// SPDX-License-Identifier: MIT

#pragma once

#include <nlohmann/json.hpp>

#include "cost/cost_options.hpp"
#include "cost/recorded_run.hpp"
#include "cost/replacement.hpp"
#include "rows/row_table.hpp"

namespace bracket::tools {

/// Replays a run on so many ranks with the library's algorithm and with each plan. Returns the row
/// of `--json`. Throws `Error` if no plan suits the reductions.
nlohmann::ordered_json cost_row(const CostOptions& options, const RecordedRun& recorded,
                                const Replacements& replacements, Rank ranks, Progress& progress);

}  // namespace bracket::tools
