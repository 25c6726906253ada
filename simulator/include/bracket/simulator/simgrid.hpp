// SPDX-License-Identifier: MIT

#pragma once

#include "bracket/model/loggp.hpp"
#include "bracket/simulator/platforms.hpp"
#include "bracket/simulator/simulation.hpp"
#include "bracket/simulator/timeline.hpp"
#include "bracket/simulator/workload.hpp"

namespace bracket {

/// Replays a workload with SimGrid's flow model CM02 (Casanova and Marchal 2002): messages share
/// the links of a network.
///
/// The operations of a rank run one after the other, and messages cost what `MessageCosts` says. A
/// send of k bytes keeps the processor for o + (k − 1)·O, and the message leaves after o. A receive
/// keeps the processor for o + (k − 1)·O after the first byte arrives, and at least for o after the
/// last one does. A message takes its route's latency, and then its bytes but the first take the
/// bandwidth that is left to it: links are shared evenly among the messages on them. LogGP's gap g
/// and LogGOPS's eager limit S have no counterpart in a flow model and are not used.
///
/// On a platform by name, each link has bandwidth 1 / G and latency L / 2, in each direction. In
/// the cluster, messages share only the link of their sender's node and the link of their
/// receiver's node, and a message that is alone takes the same time as in `paper_cost`. If the
/// machine has a table, as many bytes go over the links as take the measured time. Nodes have
/// `network.cores` cores. Messages between ranks of one node share no link and cost what
/// `machine.within_node()` says. SimGrid gives the routes. CM02's max-min fair sharing is computed
/// here, since SimGrid 3.32 takes time quadratic in the number of messages under way.
///
/// On a platform from a file, SimGrid moves all messages. Latencies, bandwidths, cores and the
/// sharing of links are those of the file, without SimGrid's correction factors and without its
/// bound by the TCP window; o, O and the times of computing are the machine's. Messages between
/// ranks of one host take the host's loopback, its route to itself over links that lead nowhere
/// else. Without a loopback they cost only the overheads (SimGrid's built-in `__loopback__` does
/// not count).
///
/// Energy is computed as in SimGrid's plugins. Computing and overheads load a core; waiting does
/// not. It is the energy of the nodes with ranks and of all links of the platform, without
/// switches, from the start until the last rank is done. The power of nodes and links is
/// `network.watts` and `network.link_watts` or, in a file, the properties `wattage_per_state` of
/// hosts, at the state in which they start, and `wattage_range` of links; links without this
/// property take no power.
///
/// Events happen at whole picoseconds. `timeline`, if given, gets the intervals that keep the
/// processors. Runs in a child process, so that neither SimGrid's state nor its end reaches the
/// caller.
///
/// Throws `Error`
///
/// - for an impossible machine,
/// - for ranks that wait for each other forever, or a message that is lost on its way, with
///   rank and peer,
/// - for a platform without enough cores or routes,
/// - for properties that are not watts, if only some hosts of ranks have them, and for links with
///   them that messages do not share or whose bandwidth changes with time,
/// - with SimGrid's own words for anything that SimGrid refuses.
Simulation replay_simgrid(const Workload& workload, const Machine& machine,
                          const Network& network = {}, Timeline* timeline = nullptr);

}  // namespace bracket
