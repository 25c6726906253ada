#pragma once

#include <span>
#include <string>
#include <vector>

#include "compare/compare_options.hpp"
#include "rows/report.hpp"
#include "rows/rows.hpp"

namespace bracket::tools {

/// What `bracket run`, which is `program`, measures of the options' elements on each number of
/// `ranks`, with these further `arguments`. The launcher starts it `options.starts` times: what one
/// start finds differs from what the next one does by more than its samples differ, above all by
/// where the elements lie in memory. Throws `Error` if a run fails, or is not of these ranks.
Rows measured_rows(const CompareOptions& options, const std::string& program,
                   std::span<const Rank> ranks, const std::vector<std::string>& arguments,
                   const RowSetting& setting, Progress& progress);

}  // namespace bracket::tools
