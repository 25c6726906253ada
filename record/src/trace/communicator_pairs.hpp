// SPDX-License-Identifier: MIT

#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "bracket/record/run_calls.hpp"
#include "call_pairs.hpp"

namespace bracket::record {

/// The calls of both runs on one communicator.
struct BothRuns {
  Communicator on;  ///< of run A, if it has calls there
  std::vector<CollectiveCall> a;
  std::vector<CollectiveCall> b;
};

/// The communicators of two runs.
struct PairedCommunicators {
  std::vector<BothRuns> both;
  std::pair<std::size_t, std::size_t> left_out{};  ///< of runs A and B
};

/// Pairs the communicators of two runs that have the same members, in their sequence. A
/// communicator of one run is left over where that lets the first calls on the next ones match, or
/// otherwise their origins. Of runs on other numbers of ranks, those of all ranks are paired, and
/// others are left out.
PairedCommunicators pair_communicators(const CallComparison& compared);

}  // namespace bracket::record
