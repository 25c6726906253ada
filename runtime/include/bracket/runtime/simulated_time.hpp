#pragma once

#include <cstddef>

#include "bracket/runtime/program.hpp"

namespace bracket {

#ifdef BRACKET_SIMULATED_MPI
/// Under a simulated MPI computing takes no simulated time: whoever simulates defines this, and
/// lets pass here what the instructions before this one have taken. Called before each instruction
/// of a run, more than once if that is to receive what is not there yet.
void pass_time_before(std::size_t instruction, Program::Action action);
#else
inline void pass_time_before(std::size_t, Program::Action) {}
#endif

}  // namespace bracket
