// SPDX-License-Identifier: MIT

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bracket/model/loggp.hpp"
#include "bracket/simulator/platforms.hpp"
#include "bracket/simulator/workload.hpp"

namespace bracket {

/// One rank of an MPI program that runs in simulated time.
class SimulatedRank {
 public:
  SimulatedRank(Rank number, struct SimulatedWorld& world) : number_(number), world_(world) {}

  [[nodiscard]] Rank number() const { return number_; }

  /// Runs the action that is timed; call it once, on every rank. All ranks begin at one moment,
  /// when all have called it and no message is under way, and none continues before the last has
  /// ended.
  void timed(const std::function<void()>& action);

  /// Lets simulated time pass. Computing takes no simulated time by itself.
  void pass(Ticks ticks);

  /// Lets pass the time that a message to a rank takes before it leaves.
  void begin_send(Rank to, std::uint64_t bytes);

  /// Lets pass the time that a message from a rank takes after all of it has arrived.
  void end_receive(Rank from, std::uint64_t bytes);

 private:
  [[nodiscard]] const MessageCosts& costs(Rank other) const;

  Rank number_;
  struct SimulatedWorld& world_;
};

/// Runs an MPI program on a simulated network (SMPI; Degomme et al. 2017). `program`, compiled with
/// SimGrid's `mpi.h`, runs on each rank, between MPI_Init and MPI_Finalize. Then `answer` gets the
/// seconds that `timed` took on each rank. Returns the return value of `answer`. Both are called in
/// a child process, where all ranks share all variables and only one of them runs at a time.
///
/// Latencies, bandwidths and placement are those of `replay_simgrid`; a network by name also uses
/// the machine's table of messages. SMPI itself charges no time for a message beside the network,
/// since it would charge overheads of some kinds of messages only: `program` calls `begin_send` and
/// `end_receive`. Messages of at most S bytes are sent before their receive begins. g is not used.
///
/// Throws an `Error` that `program` throws on any rank, and as `replay_simgrid` does.
std::string run_smpi(const Network& network, const Machine& machine, Rank ranks,
                     const std::function<void(SimulatedRank&)>& program,
                     const std::function<std::string(const std::vector<double>&)>& answer);

}  // namespace bracket
