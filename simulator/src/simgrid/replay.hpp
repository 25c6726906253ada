// SPDX-License-Identifier: MIT

#pragma once

#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u/Comm.hpp>

#include <optional>
#include <queue>
#include <vector>

#include "bracket/simulator/simgrid.hpp"
#include "loggops/event_queue.hpp"
#include "simgrid/energy.hpp"
#include "simgrid/platform.hpp"

namespace bracket::simulator {

/// Simulates the operations of every rank of a workload. On a platform by name, `Flows` moves the
/// messages, over SimGrid's routes. On a platform from a file, whose links may be of any kind and
/// change with time, SimGrid moves them. Otherwise SimGrid sees only one timer.
class Replay {
 public:
  /// Appends to the timeline unless it is null.
  Replay(const Workload& workload, const Machine& machine, Platform& platform, Timeline* timeline);

  /// Runs to the end. Throws `Error` naming rank and peer if ranks wait forever or a message is
  /// lost.
  Simulation run();

 private:
  struct Over {};  // thrown through SimGrid's loop: the platform's own events may never end

  using Operation = Workload::Operation;
  enum class What : std::uint8_t {
    goes_on,   // a rank
    leaves,    // a message leaves its sender
    comes,     // a message reaches its links, after the latency
    has_come,  // a message of `Flows` has left its links
    is_there   // a message without links arrives
  };
  enum Arrival : unsigned { not_arrived, awaited, arrived };

  struct LaterLast {
    bool operator()(const Event& a, const Event& b) const {
      return a.time != b.time ? a.time > b.time : a.key > b.key;
    }
  };

  static constexpr Ticks never = std::numeric_limits<Ticks>::max();

  struct RankState {
    std::uint32_t next = 0;  // index of an operation
    std::uint32_t end = 0;   // behind the last operation
    Ticks waits_since = never;
    Ticks came = 0;  // arrival of the first byte of the awaited message
  };

  /// A message that SimGrid moves.
  struct Transfer {
    std::uint32_t send = 0;  // operation
    Ticks came = 0;          // arrival of its first byte
    simgrid::s4u::CommPtr comm;
  };

  struct Ended {
    std::uint32_t transfer;
    bool whole;
  };

  void run_by_itself();
  void run_in_simgrid();
  void push(Ticks time, What what, std::uint32_t subject, std::uint32_t operation);
  void happen();
  void set_timer(double date);
  void wake();
  void advance(std::uint32_t rank);
  [[nodiscard]] Ticks end_of(const Operation& operation, Ticks begin) const;
  [[nodiscard]] Ticks end_of_wait(const Operation& receive, const RankState& state) const;
  [[nodiscard]] const MessageCosts& costs(const Operation& message) const;
  void send(std::uint32_t operation, Ticks time);
  void leave(std::uint32_t send, Ticks time);
  [[nodiscard]] Ticks on_no_links(const Operation& message) const;
  void come(std::uint32_t send);
  void transfer(std::uint32_t send);
  void transferred(const simgrid::s4u::Activity& activity);
  void end(const Ended& ended);
  void arrive(std::uint32_t send, Ticks came);
  [[nodiscard]] Route route(std::uint32_t send) const;
  [[nodiscard]] Rank sender(std::uint32_t send) const;
  void record(std::uint32_t rank, std::uint32_t operation, Ticks start, Ticks end);
  [[noreturn]] void throw_stuck() const;

  std::vector<Operation> operations_;
  Platform& platform_;
  MessageCosts between_nodes_;
  MessageCosts within_node_;
  Timeline* timeline_;
  std::optional<Energy> energy_;
  std::vector<RankState> ranks_;
  std::priority_queue<Event, std::vector<Event>, LaterLast> events_;
  std::uint64_t number_ = 0;  // number of events
  Ticks now_ = 0;
  struct OnLinks {
    std::uint32_t send;  // operation
    Ticks came;          // arrival of its first byte
  };
  std::vector<OnLinks> on_links_;  // indexed by flow
  simgrid::kernel::timer::Timer* timer_ = nullptr;
  std::vector<Transfer> transfers_;
  std::vector<std::uint32_t> free_;  // unused transfers
  std::vector<Ended> ended_;
  std::size_t in_simgrid_ = 0;
  std::size_t unfinished_;  // number of ranks
  Simulation result_;
};

}  // namespace bracket::simulator
