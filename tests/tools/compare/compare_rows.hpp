// SPDX-License-Identifier: MIT

#pragma once

#include <algorithm>
#include <iterator>
#include <vector>

#include "tools/cli.hpp"

/// Words and rows for the tests of `bracket compare`.
namespace compare_rows {

using namespace bracket::testing;

inline const Words thousand{"compare", "--json", "-N", "1000", "--distribution", "upper"};

/// Removes and returns the rows that say how well the models order the others.
inline std::vector<Json> take_correlations(std::vector<Json>& rows) {
  std::vector<Json> taken;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(taken),
               [](const Json& row) { return !row.contains("plan"); });
  std::erase_if(rows, [](const Json& row) { return !row.contains("plan"); });
  return taken;
}

}  // namespace compare_rows
