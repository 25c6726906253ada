#pragma once

#include <poll.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "sweep/channel.hpp"

namespace bracket::tools {

/// Processes that work on pieces of a sweep at the same time, each on one after the other. SimGrid
/// can run one simulation at a time in a process, so they are no threads.
class SweepJobs {
 public:
  /// Works on pieces until its channel is closed.
  using Work = std::function<void(Channel&)>;
  using Take = std::function<void(Message)>;

  /// Starts `count` copies of this process, which run `work` and end with this process at the
  /// latest. To be called while it has one thread. Throws `Error` if there cannot be so many.
  SweepJobs(int count, const Work& work);

  /// Ends them, whatever they are doing.
  ~SweepJobs();
  SweepJobs(const SweepJobs&) = delete;
  SweepJobs& operator=(const SweepJobs&) = delete;

  /// Whether one waits for a piece.
  [[nodiscard]] bool any_idle() const;
  [[nodiscard]] Index alive() const { return static_cast<Index>(jobs_.size()); }

  /// Gives the piece of a message to one that waits.
  void give(const Message& work);

  /// Brings an answer to the one that works on its piece.
  void answer(const Message& message);

  /// Appends what `poll` is to wait for.
  void add_to(std::vector<pollfd>& polled) const;

  /// Takes what they sent, and for a piece whose process has ended that it is `lost`.
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
