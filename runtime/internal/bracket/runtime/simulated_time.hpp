// SPDX-License-Identifier: MIT

#pragma once

#include <cstddef>
#include <span>

#include "bracket/runtime/program.hpp"

namespace bracket::runtime {

#ifdef BRACKET_SIMULATED_MPI
/// Lets pass the simulated time that the instructions before this one have taken.
using PassTime = void (*)(std::size_t instruction, Program::Action action);

/// Computing takes no simulated time under a simulated MPI, so the simulating program sets this
/// function before a run. It is called before each instruction, more than once if the instruction
/// receives a message that is not there yet. If it is null, computing takes no time.
inline PassTime pass_time = nullptr;

/// Calls it for each of `steps`, of which the first is instruction number `first`.
inline void pass_time_before(std::size_t first, std::span<const Program::Instruction> steps) {
  if (pass_time == nullptr) return;
  for (const auto& step : steps) pass_time(first++, step.action);
}
#else
inline void pass_time_before(std::size_t, std::span<const Program::Instruction>) {}
#endif

}  // namespace bracket::runtime
