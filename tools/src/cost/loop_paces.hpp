// SPDX-License-Identifier: MIT

#pragma once

#include "cost/recorded_run.hpp"

namespace bracket::tools {

/// Sets `RecordedCall::paces` of the sums of single float64, which loops of the program precede.
/// `turns` loops follow each other again and again on a communicator. Calibrated times are medians,
/// so the loop in the median gap of a rank before a loop has pace 1. A processor that is slower for
/// some time slows the loop, too: paces of other gaps are in proportion, up to twice the median. In
/// longer gaps something else happened, and their pace is 1.
void set_paces(RecordedRun& run, std::size_t turns);

}  // namespace bracket::tools
