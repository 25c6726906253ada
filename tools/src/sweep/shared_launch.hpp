#pragma once

#include <string>

#include "sweep/channel.hpp"
#include "sweep/sweep_jobs.hpp"

namespace bracket::tools {

/// The environment variable by which bracket-mpi tells a program that it starts the number of the
/// socket to it.
inline constexpr const char* shared_launch_variable = "BRACKET_SHARED_LAUNCH";

/// The ranks of a launcher that share a sweep, for a program that cannot use MPI itself: each rank
/// is a bracket-mpi that brings messages to the others, with such a program beside it.
class SharedLaunch {
 public:
  /// Null unless bracket-mpi started this process.
  static SharedLaunch* of_this_process();

  explicit SharedLaunch(int socket) : channel_(socket) {}

  /// Whether this is rank 0. Waits until all ranks have started; the process ends if they cannot.
  [[nodiscard]] bool first();

  /// Ranks beside this one. Waits likewise.
  [[nodiscard]] Rank others();

  /// Cores that this rank has for itself, at least 1. Waits likewise.
  [[nodiscard]] int cores();

  [[nodiscard]] Channel& channel() { return channel_; }

  /// Works on pieces for rank 0 until it needs no more.
  void serve(SweepJobs& jobs, int count);

  /// Tells rank 0 why this rank cannot.
  void refuse(const std::string& why);

 private:
  void wait_for_place();

  Channel channel_;
  Rank rank_ = 0;
  Rank ranks_ = 1;
  int cores_ = 0;  // 0: the place is not known yet
};

}  // namespace bracket::tools
