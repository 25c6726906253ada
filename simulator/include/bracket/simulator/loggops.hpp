// SPDX-License-Identifier: MIT

#pragma once

#include <cstdint>
#include <span>

#include "bracket/simulator/simulation.hpp"
#include "bracket/simulator/timeline.hpp"
#include "bracket/simulator/workload.hpp"

namespace bracket {

/// Replays a workload under LogGOPS (Hoefler, Schneider and Lumsdaine 2010): every rank has a
/// processor, a port out and a port in; the network between them has no limits.
///
/// The operations of a rank run one after the other. A send of k bytes keeps the processor for
/// o + (k − 1)·O and the port out for g + (k − 1)·G; the first byte arrives o + L after its start.
/// A message is taken in when it has arrived and both the processor and the port in are free,
/// whether or not the rank waits for it. This keeps the processor for o + (k − 1)·max(O, G) and the
/// port for g + (k − 1)·G. A receive ends when its message has been taken in. Sends do not block,
/// but after a send of more than `eager_bytes` the processor is not free until that message is
/// taken in and a receive waits for it.
///
/// The times are those of LogGOPSim, tick for tick, also for events at the same time. `nodes`, if
/// given, has the node of each rank (`Placement::place`): messages between ranks of one node have
/// L, o, g and G of `machine.within_node()`. `timeline`, if given, gets the intervals that keep the
/// processors; a message has its interval where it is taken in. The time is linear in the
/// operations, except for a logarithm where messages wait for one rank. Throws `Error` if ranks
/// wait for each other forever, unless there is one node for each rank, and beyond 2^30 operations.
Simulation replay_loggops(const Workload& workload, const Machine& machine,
                          std::span<const std::uint32_t> nodes = {}, Timeline* timeline = nullptr);

}  // namespace bracket
