#pragma once

#include <span>
#include <string>
#include <vector>

#include "bracket/runtime/communicator.hpp"

namespace bracket {

/// Repetitions of one measurement, summed up. Seconds.
struct Summary {
  std::size_t repetitions = 0;
  double median = 0;
  double low = 0;   ///< nonparametric 95 % interval of the median, from order statistics;
  double high = 0;  ///< least and largest sample below six repetitions
};

/// Throws `Error` without samples.
Summary summarize(std::span<const double> seconds);

/// Runs `action` `warm_up` times, then `repetitions` times; each repetition starts together and
/// takes as long as its slowest rank. Seconds for each, the same on every rank. Collective.
template <class Action>
std::vector<double> time_repetitions(const Communicator& communicator, int warm_up, int repetitions,
                                     Action&& action) {
  std::vector<double> seconds;
  for (int i = -warm_up; i < repetitions; ++i) {
    barrier(communicator);
    const double start = MPI_Wtime();
    action();
    const double taken = MPI_Wtime() - start;
    if (i >= 0) seconds.push_back(taken);
  }
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, seconds.data(), static_cast<int>(seconds.size()),
                          MPI_DOUBLE, MPI_MAX, communicator.handle()),
            "MPI_Allreduce");
  return seconds;
}

/// Where a measurement was taken.
struct Environment {
  std::string processor;
  std::string mpi_library;
  std::string compiler;
  Rank ranks = 0;
  Rank ranks_on_host = 0;    ///< ranks on the host of rank 0
  Rank cores_available = 0;  ///< cores that those ranks may use

  [[nodiscard]] bool oversubscribed() const { return ranks_on_host > cores_available; }
};

/// Collective.
Environment environment(const Communicator& communicator);

}  // namespace bracket
