// SPDX-License-Identifier: MIT

#pragma once

#include <string>

#include "bracket/model/tune.hpp"
#include "report/report.hpp"
#include "tune/tune_options.hpp"

namespace bracket::tools {

/// Title of the column of scores. They count the plan's own messages; `count` and `compare` show
/// the score of a distribution.
inline constexpr const char* score_title = "plan's score [us]";

/// Prints the result of a tuning: its candidates and, with `--explain`, the bounds on them. Writes
/// the report of the candidates if one is wanted.
void print_tuning(const TuneOptions& options, const TuneTask& task, const TuneResult& result,
                  Report& report);

}  // namespace bracket::tools
