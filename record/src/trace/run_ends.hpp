// SPDX-License-Identifier: MIT

#pragma once

#include <string>
#include <vector>

#include "bracket/record/trace.hpp"

namespace bracket::record {

/// Returns sentences about the ranks of the run `name` that did not come to MPI_Finalize: why,
/// which ones, and after how many reductions.
std::vector<std::string> early_ends(const Trace& trace, const std::string& name);

}  // namespace bracket::record
