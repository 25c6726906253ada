// SPDX-License-Identifier: MIT

#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "compare/compare_options.hpp"
#include "rows/row_table.hpp"
#include "rows/rows.hpp"

namespace bracket::tools {

/// Measures the options' elements on each number of `ranks` by `bracket run`. `program` is its
/// file, and `arguments` are further words for it. The launcher starts it `options.starts` times,
/// because starts differ from each other by more than the samples within one start, mainly due to
/// the place of the elements in memory. Throws `Error` if a run fails or has another number of
/// ranks.
Rows measured_rows(const CompareOptions& options, const std::string& program,
                   std::span<const Rank> ranks, const std::vector<std::string>& arguments,
                   const RowSetting& setting, Progress& progress);

/// Copies the values of `keys` from the row with this key, if `from` has it, to `row`.
void take(nlohmann::ordered_json& row, const Rows& from, const RowKey& key,
          std::initializer_list<const char*> keys);

}  // namespace bracket::tools
