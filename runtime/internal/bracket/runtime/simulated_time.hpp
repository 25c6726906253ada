// SPDX-License-Identifier: MIT

#pragma once

#include <cstddef>

#include "bracket/runtime/program.hpp"

namespace bracket::runtime {

#ifdef BRACKET_SIMULATED_MPI
/// Lets pass the simulated time that the instructions before this one have taken.
using PassTime = void (*)(std::size_t instruction, Program::Action action);

/// Computing takes no simulated time under a simulated MPI, so the simulating program sets this
/// function before a run. It is called before each instruction, more than once if the instruction
/// receives a message that is not there yet. If it is null, computing takes no time.
inline PassTime pass_time = nullptr;

inline void pass_time_before(std::size_t instruction, Program::Action action) {
  if (pass_time != nullptr) pass_time(instruction, action);
}
#else
inline void pass_time_before(std::size_t, Program::Action) {}
#endif

}  // namespace bracket::runtime
