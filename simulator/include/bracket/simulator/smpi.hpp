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

  /// Does what is to be timed; once, on every rank. All begin at one moment, when all are there and
  /// nothing is under way on the network, and nothing else is before the last has ended.
  void timed(const std::function<void()>& action);

  /// Lets simulated time pass. Computing takes none of itself.
  void pass(Ticks ticks);

  /// Lets pass what a message takes before it leaves for a rank.
  void begin_send(Rank to, std::uint64_t bytes);

  /// Lets pass what a message of a rank takes when all of it has come.
  void end_receive(Rank from, std::uint64_t bytes);

 private:
  [[nodiscard]] const MessageCosts& costs(Rank other) const;

  Rank number_;
  struct SimulatedWorld& world_;
};

/// Runs an MPI program on a simulated network: `program`, compiled with SimGrid's `mpi.h`, is each
/// of the ranks, between MPI_Init and MPI_Finalize (SMPI; Degomme et al. 2017). Then `answer` gets
/// the seconds that `timed` took on each rank, and what it makes of them is returned. Both are
/// called in a child process, where all ranks share all variables and only one of them runs at a
/// time.
///
/// Latencies, bandwidths and placement are those of `replay_simgrid`, on a network by name by the
/// machine's table of messages, too. SMPI itself takes no time for a message beside the network:
/// `program` calls `begin_send` and `end_receive`, for SMPI would charge overheads of some kinds of
/// messages only. Messages of at most S bytes are sent before they are asked for. g is not used.
///
/// Throws `Error` that `program` throws on any rank, and as `replay_simgrid`.
std::string run_smpi(const Network& network, const Machine& machine, Rank ranks,
                     const std::function<void(SimulatedRank&)>& program,
                     const std::function<std::string(const std::vector<double>&)>& answer);

}  // namespace bracket
