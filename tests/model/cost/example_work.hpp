// SPDX-License-Identifier: MIT

#pragma once

#include "bracket/model/loggp.hpp"

namespace bracket::testing {

/// Folds of 4, 16 and 64 elements; each element beyond 16 takes longer.
inline const MeasuredWork example_work{{3, {{4, 10}, {16, 22}, {64, 214}}}, 5};

/// A machine on which a message takes 1200 seconds.
inline Machine machine_of(const MeasuredWork& work) {
  Machine machine{.latency = 1000, .overhead = 100, .gap = 0, .gap_per_byte = 0};
  machine.work = work;
  return machine;
}

}  // namespace bracket::testing
