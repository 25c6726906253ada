#pragma once

#include <filesystem>
#include <optional>

#include "bracket/model/loggp.hpp"
#include "bracket/model/schedule.hpp"
#include "bracket/simulator/simulation.hpp"

namespace bracket {

/// Simulates `schedule` with SimGrid's flow model CM02 (Casanova and Marchal 2002).
///
/// The steps of a rank run one after the other. A fold or a join takes `machine.work`; a send
/// keeps its rank for o, then the message leaves; a receive waits for its message, the next from
/// that rank, and keeps its rank for o. A message of k bytes takes its route's latency and then k
/// bytes at the rate that is left to it: links are shared evenly among the messages on them.
///
/// Without `platform_file` each rank has a host of its own in a star, with one link out and one
/// link in, each of bandwidth 1 / G and latency L / 2: messages share the link of their sender
/// and the link of their receiver, nothing else. A message that shares nothing takes
/// o + L + k·G + o, one byte's G more than in `paper_cost`. LogGP's gap g has no counterpart in a
/// flow model: `machine.gap` is not used.
///
/// `platform_file` is a SimGrid platform: latencies, bandwidths and who shares which link are
/// the file's as written there, without SimGrid's correction factors or its bound by the TCP
/// window; o and the seconds per addition stay the machine's. Ranks fill the cores of the hosts
/// in the order of the file. Messages between ranks of one host take the host's loopback, its
/// route to itself over links that lead nowhere else; without one they cost only the overheads
/// (SimGrid's built-in `__loopback__` is none).
///
/// Runs in a child process, so that neither SimGrid's state nor its end reaches the caller.
/// Throws `Error` for a machine or a schedule that cannot be, naming rank and step; for ranks that
/// wait forever; for a platform without enough cores or routes; and with SimGrid's own words for
/// whatever SimGrid refuses.
Simulation simulate(const Schedule& schedule, const Machine& machine,
                    const std::optional<std::filesystem::path>& platform_file = std::nullopt);

}  // namespace bracket
