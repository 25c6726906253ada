#pragma once

#include <cstdint>
#include <functional>
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

/// How `time_side_by_side` measures; the same on every rank.
struct Method {
  int warm_up = 3;         ///< rounds before those that are recorded
  int repetitions = 30;    ///< rounds that are recorded
  std::uint64_t seed = 1;  ///< of the order in which each round runs the candidates
  /// A candidate whose call takes less is called several times in a sample, at most 1 000 times.
  double least_sample_seconds = 50e-6;
  /// Before each sample the candidate is called untimed for about this long, at least once and at
  /// most 1 000 times: the sample then finds the caches and the processor's frequency as the
  /// candidate itself leaves them, not as the one before it does. Zero: no such calls.
  double lead_in_seconds = 2e-3;
  /// In place of the lead-in and of several calls in a sample, the caches are emptied before each
  /// call. Takes memory of twice the last cache on each rank, at least 64 MiB.
  bool cold = false;
  std::function<void(int round)> before_round = {};  ///< from 0, below it in the warm-up; not timed
};

/// What was measured of one candidate, the same on every rank.
struct Samples {
  std::vector<double> seconds;  ///< for one call, in each recorded round
  int calls = 1;                ///< in each sample, of which `seconds` has the mean
};

/// Measures `actions` against each other. Each round runs all of them once, in an order shuffled
/// anew, so that what disturbs the machine for a while disturbs all alike. Each call starts after a
/// barrier, as of a reduction to one rank the others would begin the next before that one has its
/// result; it takes as long as its slowest rank. How many calls make up `least_sample_seconds` is
/// found in the warm-up; without one, and for a least of 0, it is one. Collective; every rank must
/// give as many actions, in the same order. Throws `CollectiveError` if there is no memory.
std::vector<Samples> time_side_by_side(const Communicator& communicator,
                                       std::span<const std::function<void()>> actions,
                                       const Method& method);

/// Where a measurement was taken.
struct Environment {
  std::string processor;
  std::string mpi_library;
  std::string compiler;
  Rank ranks = 0;
  Rank ranks_on_host = 0;    ///< ranks on the host of rank 0
  Rank cores_available = 0;  ///< cores that those ranks may use

  /// Whether ranks of so many threads each outnumber the cores.
  [[nodiscard]] bool oversubscribed(int threads) const {
    return Index{ranks_on_host} * threads > cores_available;
  }
};

/// Collective.
Environment environment(const Communicator& communicator);

}  // namespace bracket
