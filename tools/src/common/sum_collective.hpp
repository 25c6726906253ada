// SPDX-License-Identifier: MIT

#pragma once

#include <string>

namespace bracket::tools {

/// A collective of MPI that sums.
enum class SumCollective { all_reduce, reduce, reduce_scatter, scan };

/// "all-reduce", "reduce", "reduce-scatter" or "scan".
std::string name_of(SumCollective collective);

/// Returns the collective of this name. Throws `Error` for an unknown one.
SumCollective sum_collective_named(const std::string& name);

}  // namespace bracket::tools
