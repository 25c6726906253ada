#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "bracket/model/range.hpp"

/// What a launcher (mpiexec, srun) says to the programs that it starts, as far as its environment
/// variables tell.
namespace bracket::tools {

/// Ranks that the launcher started together; 1 without one.
Rank launched_ranks();

/// False on ranks but the first of such a launch.
bool first_of_launch();

/// To be asked of a rank that `mpi_library` says is alone. Throws `Error` if the launcher started
/// more: it is that of another MPI library, and each rank would do all of the work by itself. All
/// but the first throw half a second later, as launchers end the other ranks once one has failed,
/// and the first is the one that says why.
void check_alone(const std::string& mpi_library);

/// How long MPI may take to start on so many ranks: a minute and a tenth of a second more for each.
std::chrono::duration<double> usual_start_limit(Rank ranks);

/// The environment's `BRACKET_START_SECONDS`, or `usual` without one. Throws `Error` if that is no
/// positive number.
std::chrono::duration<double> start_limit(std::chrono::duration<double> usual);

/// Runs `start`. If that takes longer than `limit`, says so on stderr and ends the process with
/// exit code 2: a rank of the launch that never starts MPI would have the others wait for ever.
void start_within(std::chrono::duration<double> limit, const std::function<void()>& start);

}  // namespace bracket::tools
