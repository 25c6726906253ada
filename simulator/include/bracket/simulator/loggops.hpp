#pragma once

#include <cstdint>
#include <span>

#include "bracket/simulator/simulation.hpp"
#include "bracket/simulator/timeline.hpp"
#include "bracket/simulator/workload.hpp"

namespace bracket {

/// Replays a workload under LogGOPS (Hoefler, Schneider and Lumsdaine 2010): every rank has a
/// processor, a port out and a port in; the network between has no limits.
///
/// The operations of a rank run one after the other. A send of k bytes keeps the processor for
/// o + (k − 1)·O and the port out for g + (k − 1)·G; the first byte arrives o + L after its start.
/// A message is taken in when it is there, the processor is free and the port in is, whether or not
/// the rank waits for it: that keeps the processor for o + (k − 1)·max(O, G) and the port for
/// g + (k − 1)·G, and a receive is done when its message has been taken in. Sends do not block, but
/// the processor of who has sent more than `eager_bytes` is not free before that message is taken
/// in and a receive waits for it.
///
/// The times are those of LogGOPSim, tick for tick: what happens at one time included.
/// `nodes`, if given, says where each rank sits (`Placement::place`): L, o, g and G of messages
/// between ranks of one node are those of `machine.within_node()`. `timeline`, if given, gets what
/// kept the processors, a message where it is taken in. Linear in the operations but for a
/// logarithm where messages wait for one rank. Throws `Error` if ranks wait for each other for
/// ever, for nodes that are not one for each rank, or beyond 2^30 operations.
Simulation replay_loggops(const Workload& workload, const Machine& machine,
                          std::span<const std::uint32_t> nodes = {}, Timeline* timeline = nullptr);

}  // namespace bracket
