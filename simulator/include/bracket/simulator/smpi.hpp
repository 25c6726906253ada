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

 private:
  Rank number_;
  struct SimulatedWorld& world_;
};

/// Runs an MPI program on a simulated network: `program`, compiled with SimGrid's `mpi.h`, is each
/// of the ranks, between MPI_Init and MPI_Finalize (SMPI; Degomme et al. 2017). Then `answer` gets
/// the seconds that `timed` took on each rank, and what it makes of them is returned. Both are
/// called in a child process, where all ranks share all variables and only one of them runs at a
/// time.
///
/// Latencies, bandwidths and placement are those of `replay_simgrid`; a message keeps its sender
/// for o + k·O, and its receiver for as long when it is received if it has at most S bytes, which
/// are sent before they are asked for. On its way it is 16 bytes longer, SMPI's envelope. g is not
/// used, nor is o inside a node: it is o everywhere.
///
/// Throws `Error` that `program` throws on any rank, and as `replay_simgrid`.
std::string run_smpi(const Network& network, const Machine& machine, Rank ranks,
                     const std::function<void(SimulatedRank&)>& program,
                     const std::function<std::string(const std::vector<double>&)>& answer);

}  // namespace bracket
