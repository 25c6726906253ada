#pragma once

#include <cstddef>

#include "bracket/runtime/program.hpp"

namespace bracket {

#ifdef BRACKET_SIMULATED_MPI
/// Lets pass the time of the instructions before this one. Computing takes no simulated time under
/// a simulated MPI, so the simulating program defines this function. A run calls it before each
/// instruction, and more than once before a receive whose message has not arrived.
void pass_time_before(std::size_t instruction, Program::Action action);
#else
inline void pass_time_before(std::size_t, Program::Action) {}
#endif

}  // namespace bracket
