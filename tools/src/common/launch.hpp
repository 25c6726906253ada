// SPDX-License-Identifier: MIT

#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "bracket/model/range.hpp"

/// Information from a launcher (mpiexec, srun), as far as its environment variables give it to the
/// programs that it starts.
namespace bracket::tools {

/// Number of ranks that the launcher started together; 1 without a launcher.
Rank launched_ranks();

/// Whether a launcher started this process, even as its only rank.
bool launched();

/// Number of this rank in its launch; 0 without a launcher. Empty if the launcher does not say it.
std::optional<Rank> rank_of_launch();

/// Returns true on the first rank of a launch and without a launcher.
bool first_of_launch();

/// Sets the environment variables with which the launchers of Open MPI 4 and 5 start more ranks
/// than there are cores, unless they are set.
void allow_oversubscription();

/// Checks a rank that is alone according to `mpi_library`. Throws `Error` if the launcher started
/// more ranks: it belongs to another MPI library, and each rank would do all of the work by itself.
/// The first rank prints the reason, and launchers end the other ranks once one has failed.
/// Therefore the others throw half a second later.
void check_alone(const std::string& mpi_library);

/// Returns the time that MPI may take to start: 60 seconds and 0.1 seconds per rank.
std::chrono::duration<double> usual_start_limit(Rank ranks);

/// Returns the environment variable `BRACKET_START_SECONDS` in seconds, or `usual` if it is not
/// set. Throws `Error` unless it is a positive number of at most 1e9.
std::chrono::duration<double> start_limit(std::chrono::duration<double> usual);

/// Runs `start`. If it takes longer than `limit`, prints that on stderr and ends the process with
/// exit code 2: the others would wait for ever for a rank of the launch that never starts MPI.
void start_within(std::chrono::duration<double> limit, const std::function<void()>& start);

}  // namespace bracket::tools
