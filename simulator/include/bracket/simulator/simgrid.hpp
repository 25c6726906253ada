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
/// send of k bytes keeps the processor for o + (k − 1)·O, and the message leaves after o; a receive
/// keeps the processor for o + (k − 1)·O since the first byte is there, and at least for o since
/// the last is. A message takes its route's latency and then its bytes but the first at the rate
/// that is left to it: links are shared evenly among the messages on them. LogGP's gap g and
/// LogGOPS's eager limit S have no counterpart in a flow model and are not used.
///
/// On a platform by name each link has bandwidth 1 / G and latency L / 2, in each direction: in the
/// cluster, where messages share the link of their sender's node and the link of their receiver's
/// node and nothing else, a message that is alone takes what it takes in `paper_cost`; where
/// the machine has a table, as many bytes go over the links as take the measured time. Nodes have
/// `network.cores` cores. Messages between ranks of one node share nothing and cost what
/// `machine.within_node()` says. SimGrid gives the routes, and CM02's max-min fair sharing is
/// worked out here, since SimGrid 3.32 takes the square of the messages under way for it.
///
/// A platform from a file is SimGrid's: latencies, bandwidths, cores and who shares which link are
/// the file's as written there, without SimGrid's correction factors or its bound by the TCP
/// window; o, O and how long a rank computes stay the machine's. Messages between ranks of one host
/// take the host's loopback, its route to itself over links that lead nowhere else; without one
/// they cost only the overheads (SimGrid's built-in `__loopback__` is none). SimGrid moves all
/// messages.
///
/// Energy is that of SimGrid's plugins, worked out here for what keeps the processors: computing
/// and overheads load a core, waiting does not. Counted are the nodes on which ranks sit and all
/// links of the platform, from the start until the last rank is done; switches are not. What a node
/// and a link take is `network.watts` and `network.link_watts` or, in a file, the properties
/// `wattage_per_state` of hosts, at the state in which they start, and `wattage_range` of links;
/// links without are counted as none.
///
/// What happens does so at whole picoseconds. `timeline`, if given, gets what kept the processors.
/// Runs in a child process, so that neither SimGrid's state nor its end reaches the caller.
///
/// Throws `Error` for a machine that cannot be; for ranks that wait for each other for ever or a
/// message that is lost on its way, by rank and peer; for a platform without enough cores or
/// routes; for properties that are no watts, hosts of ranks of which only some have them, and links
/// with them that messages do not share or whose bandwidth changes with time; and with SimGrid's
/// own words for whatever SimGrid refuses.
Simulation replay_simgrid(const Workload& workload, const Machine& machine,
                          const Network& network = {}, Timeline* timeline = nullptr);

}  // namespace bracket
