// SPDX-License-Identifier: MIT

#pragma once

#include <memory>
#include <string>

#include "bracket/runtime/communicator.hpp"
#include "sweep/program_beside.hpp"

namespace bracket::tools {

/// Starts the program that simulates on this rank. Call it before MPI starts: a process that uses
/// MPI cannot always start others.
std::unique_ptr<ProgramBeside> start_simulating(char** argv);

/// Transfers messages between the program of each rank and the program of rank 0 until the latter
/// ends. Returns its exit code on every rank. `refused` says why this rank has no program, or is
/// empty. If any rank has no program, or if the ranks were started with different words, prints the
/// error on stderr and returns the exit code of bad input on every rank. Collective.
int share_sweep(const Communicator& world, const std::string& refused, int argc, char** argv,
                ProgramBeside* program);

}  // namespace bracket::tools
