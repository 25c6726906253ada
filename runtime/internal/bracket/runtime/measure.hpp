// SPDX-License-Identifier: MIT

#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bracket/runtime/communicator.hpp"
#include "bracket/runtime/method.hpp"

namespace bracket::runtime {

/// Summary of one measurement's repetitions. Seconds.
struct Summary {
  std::size_t repetitions = 0;
  double median = 0;
  double low = 0;   ///< nonparametric 95 % interval of the median, from order statistics; with
  double high = 0;  ///< fewer than six repetitions, the least and the largest sample
};

/// Throws `Error` without samples.
Summary summarize(std::span<const double> seconds);

/// Measurements of one candidate, the same on every rank.
struct Samples {
  std::vector<double> seconds;  ///< for one call, in each recorded round
  int calls = 1;                ///< in each sample; `seconds` has their mean
};

/// Measures `actions` against each other. Each round runs every action once, in a new random
/// sequence, so that a disturbance of the machine affects all of them alike. Each call starts after
/// a barrier, unless the method has calls in a row: otherwise, in a reduction to one rank, the
/// others would begin the next call before that rank has its result. A call takes as long as its
/// slowest rank. The warm-up finds the number of calls that take `least_sample_seconds`; without a
/// warm-up, or if that is 0, it is one call. Collective; every rank must pass the same number of
/// actions, in the same order. Throws `CollectiveError` if there is not enough memory.
std::vector<Samples> time_side_by_side(const Communicator& communicator,
                                       std::span<const std::function<void()>> actions,
                                       const Method& method);

/// Processor, software and ranks of a measurement.
struct Environment {
  std::string processor;
  std::string mpi_library;
  std::string compiler;
  Rank ranks = 0;
  Rank ranks_on_host = 0;    ///< ranks on the host of rank 0
  Rank cores_available = 0;  ///< cores that those ranks may use
  /// Whether reducers send short messages between those ranks through shared memory.
  bool shares_memory = false;

  /// Whether the ranks' threads, so many each, outnumber the cores.
  [[nodiscard]] bool oversubscribed(int threads) const {
    return Index{ranks_on_host} * threads > cores_available;
  }
};

/// The environment of a communicator's ranks. Collective. Throws `CollectiveError` for a wrong
/// BRACKET_MESSAGES; see `sharing`.
Environment environment(const Communicator& communicator);

}  // namespace bracket::runtime
