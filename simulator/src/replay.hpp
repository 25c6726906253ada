#pragma once

#include <simgrid/s4u/Comm.hpp>

#include <vector>

#include "bracket/model/matching.hpp"
#include "bracket/model/schedule.hpp"
#include "bracket/simulator/simulate.hpp"
#include "platform.hpp"

namespace bracket::simulator {

/// Lets every rank of a schedule do its steps in simulated time. Host work, overheads and
/// latencies are timers; only the transfer of a message is an activity of SimGrid's.
class Replay {
 public:
  Replay(const Schedule& schedule, const Machine& machine, const Matching& matching,
         Platform& platform);

  /// Runs to the end. Throws `Error` naming rank and step if ranks wait forever or a message is
  /// lost on its way.
  Simulation run();

 private:
  struct Over {};  // thrown through SimGrid's loop: a platform's own events may go on forever

  struct RankState {
    std::size_t next = 0;  // step
    MessageId waits_for = no_message;
  };

  /// Runs `then` after `seconds`, off SimGrid's and the caller's stack.
  template <class Then>
  void after(double seconds, Then then);

  void advance(Rank rank);
  void end_step(Rank rank);
  void depart(MessageId id);
  void transfer(MessageId id);
  void transferred(const simgrid::s4u::Activity& activity);
  void arrive(MessageId id);
  void stop_if_over() const;
  [[noreturn]] void throw_stuck(const char* why) const;

  const Schedule& schedule_;
  const Machine& machine_;
  const Matching& matching_;
  Platform& platform_;
  std::vector<RankState> ranks_;
  std::vector<bool> arrived_;                     // by message
  std::vector<simgrid::s4u::CommPtr> under_way_;  // by message
  Rank unfinished_;
  Index pending_ = 0;  // timers and transfers
  Simulation result_;
};

}  // namespace bracket::simulator
