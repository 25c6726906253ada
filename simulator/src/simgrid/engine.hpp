// SPDX-License-Identifier: MIT

#pragma once

#include <simgrid/forward.h>

#include "bracket/model/loggp.hpp"

namespace bracket::simulator {

/// Mover of the messages on a platform: the replay, which waits for latencies itself, or SimGrid's
/// MPI.
enum class Moved { by_replay, by_smpi };

/// Starts SimGrid's engine with the settings for this mover. The engine lives until the process
/// ends. Call it only once for each process.
simgrid::s4u::Engine* start_engine(const Machine& machine, Moved moved);

/// Makes the times of SimGrid's MPI on the links of a platform by name those of the machine. Call
/// it after the platform is sealed.
void set_factors_of_smpi(const simgrid::s4u::Engine& engine, const Machine& machine);

}  // namespace bracket::simulator
