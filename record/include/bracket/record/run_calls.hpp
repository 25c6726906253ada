// SPDX-License-Identifier: MIT

#pragma once

#include <cstdint>
#include <vector>

#include "bracket/record/trace.hpp"

namespace bracket::record {

/// A reduction on all members of its communicator; null where a rank did not record it.
struct CollectiveCall {
  std::uint64_t sequence = 0;
  std::uint64_t position = 0;  ///< number among all calls of the run
  std::vector<const Reduction*> on;
};

struct CommunicatorCalls {
  Communicator communicator;
  std::vector<CollectiveCall> calls;  ///< by sequence
};

/// Returns the reductions of each communicator that has any, with `MPI_COMM_WORLD` first. The
/// positions are a sequence that every rank could have followed. The calls refer to `trace`.
std::vector<CommunicatorCalls> calls_of(const Trace& trace);

}  // namespace bracket::record
