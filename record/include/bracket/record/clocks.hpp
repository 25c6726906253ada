// SPDX-License-Identifier: MIT

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bracket/record/run_calls.hpp"

namespace bracket::record {

/// Returns the nanoseconds to add to each rank's times, so that they are times of rank 0's clock.
///
/// Ranks of one host share a clock. No rank leaves a blocking all-reduce before all have entered
/// it: the entries on one host and the exits on another bound the difference of their clocks from
/// both sides, and the result has the middle of the bounds. A host without all-reduces in common
/// with rank 0's host has the difference of the times of day. Clocks are taken to run at one speed.
std::vector<std::int64_t> clock_offsets(const Trace& trace,
                                        std::span<const CommunicatorCalls> calls);

}  // namespace bracket::record
