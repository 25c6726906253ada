// SPDX-License-Identifier: MIT

#pragma once

#include <poll.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "sweep/channel.hpp"

namespace bracket::tools {

/// Processes that work on pieces of a sweep in parallel, each on one piece after the other. They
/// are not threads, because SimGrid can run only one simulation at a time in a process.
class SweepJobs {
 public:
  /// Works on pieces until its channel is closed.
  using Work = std::function<void(Channel&)>;
  using Take = std::function<void(SweepMessage)>;

  /// Starts `count` copies of this process, which run `work` and end with this process at the
  /// latest. This process must have only one thread. Throws `Error` if they cannot be started.
  SweepJobs(int count, const Work& work);

  /// Ends the processes at once, even while they work.
  ~SweepJobs();
  SweepJobs(const SweepJobs&) = delete;
  SweepJobs& operator=(const SweepJobs&) = delete;

  /// Whether a process waits for a piece.
  [[nodiscard]] bool any_idle() const;
  [[nodiscard]] Index alive() const { return static_cast<Index>(jobs_.size()); }

  /// Gives the piece of a message to a waiting process.
  void give(const SweepMessage& work);

  /// Sends an answer to the process that works on its piece.
  void answer(const SweepMessage& message);

  /// Appends the descriptors and events that `poll` must wait for.
  void add_to(std::vector<pollfd>& polled) const;

  /// Calls `take` for each message of the processes, and with a message `lost` for a piece whose
  /// process has ended.
  void receive(const Take& take);

 private:
  struct Job {
    pid_t process;
    Channel channel;
    bool busy = false;
    std::uint64_t piece = 0;
  };
  void start(const Work& work);
  void end_all();

  std::vector<Job> jobs_;
};

}  // namespace bracket::tools
