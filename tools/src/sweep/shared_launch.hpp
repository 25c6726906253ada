// SPDX-License-Identifier: MIT

#pragma once

#include <string>

#include "sweep/channel.hpp"
#include "sweep/sweep_jobs.hpp"

namespace bracket::tools {

/// The environment variable with the socket's number, which bracket-mpi sets for the program that
/// it starts.
inline constexpr const char* shared_launch_variable = "BRACKET_SHARED_LAUNCH";

/// The ranks of a launcher that share a sweep, for a program that cannot use MPI itself. Each rank
/// is a bracket-mpi with such a program beside it, and transfers messages to the others.
class SharedLaunch {
 public:
  /// Null unless bracket-mpi started this process.
  static SharedLaunch* of_this_process();

  explicit SharedLaunch(int socket) : channel_(socket) {}

  /// Whether this is rank 0. Waits until all ranks have started; the process ends if they cannot.
  [[nodiscard]] bool first();

  /// Number of other ranks. Waits like `first`.
  [[nodiscard]] Rank others();

  /// Number of cores for this rank alone, at least 1. Waits like `first`.
  [[nodiscard]] int cores();

  [[nodiscard]] Channel& channel() { return channel_; }

  /// Works on pieces for rank 0, `count` at the same time, until rank 0 needs no more.
  void serve(SweepJobs& jobs, int count);

  /// Tells rank 0 why this rank cannot take part.
  void refuse(const std::string& why);

 private:
  void wait_for_place();

  Channel channel_;
  Rank rank_ = 0;
  Rank ranks_ = 1;
  int cores_ = 0;  // 0: not known yet, like the rank
};

}  // namespace bracket::tools
