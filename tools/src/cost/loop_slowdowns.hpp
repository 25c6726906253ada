// SPDX-License-Identifier: MIT

#pragma once

#include "cost/recorded_run.hpp"

namespace bracket::tools {

/// Sets `RecordedCall::slowdowns` of the sums of single float64, which loops of the program
/// precede. `turns` loops follow each other again and again on a communicator.
///
/// Calibrated times are medians. So a loop takes the calibrated time in the median of a rank's gaps
/// before calls of one site, one size and one turn. While a processor is slower, gaps are longer:
/// slowdowns are gap / median, from 1/2 to 2. Gaps below or above have that length for another
/// reason, and their slowdown is 1.
void set_slowdowns(RecordedRun& run, std::size_t turns);

}  // namespace bracket::tools
