#pragma once

#include <memory>
#include <string>

#include "bracket/runtime/communicator.hpp"
#include "sweep/program_beside.hpp"

namespace bracket::tools {

/// Starts the program that simulates on this rank. To be called before MPI starts, since processes
/// that use MPI cannot always start others.
std::unique_ptr<ProgramBeside> start_simulating(char** argv);

/// Brings messages from the program of each rank to that of rank 0 and back until the latter has
/// ended, and returns its exit code on every rank. `refused` is why this rank has no program, or
/// empty. Says on stderr, and returns the exit code of bad input on every rank, if that is so on
/// any or unless all were started with the same words. Collective.
int share_sweep(const Communicator& world, const std::string& refused, int argc, char** argv,
                ProgramBeside* program);

}  // namespace bracket::tools
