// SPDX-License-Identifier: MIT

#include "bracket/simulator/loggops.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <queue>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "loggops/event_queue.hpp"

namespace bracket {

namespace {

using Operation = Workload::Operation;

/// Costs of a message in ticks: from the LogGP figures, rounded as LogGOPSim rounds them, or from
/// the measured table.
class Costs {
 public:
  Costs(const MessageCosts& message, double eager_bytes)
      : message_(message),
        overhead_(ticks_of(message.overhead, "the overhead")),
        arrival_(overhead_ + ticks_of(message.latency, "the latency")),
        gap_(ticks_of(message.gap, "the gap")),
        overhead_per_byte_(message.overhead_per_byte * ticks_per_second),
        gap_per_byte_(message.gap_per_byte * ticks_per_second),
        eager_bytes_(eager_bytes),
        handling_(ticks_of(message.handling, "the handling of a message")),
        has_exchanges_(std::any_of(message.measured.begin(), message.measured.end(),
                                   [](const MessageTimes& times) { return times.exchange > 0; })) {}

  /// Whether messages that cross others take another time.
  [[nodiscard]] bool has_exchanges() const { return has_exchanges_; }

  /// Ticks from the start of the send to the arrival. `crosses`: the message crosses another.
  [[nodiscard]] Ticks arrival(std::uint64_t bytes, bool crosses) const {
    if (by_figures()) return arrival_;
    const auto size = static_cast<double>(bytes);
    const double delay = crosses ? message_.exchange_delay(size) : 0;
    return measured(message_.way(size) + delay - message_.receiving(size));
  }
  [[nodiscard]] Ticks processor_of_send(std::uint64_t bytes) const {
    if (!by_figures()) return measured(message_.sending(static_cast<double>(bytes)));
    return overhead_ + rounded(overhead_per_byte_, bytes);
  }
  /// With the LogGP figures, receiving takes as long for a message that has waited as for one that
  /// arrives.
  [[nodiscard]] Ticks processor_of_receive(std::uint64_t bytes) const {
    if (!by_figures()) return measured(message_.receiving(static_cast<double>(bytes)));
    return overhead_ + rounded(std::max(overhead_per_byte_, gap_per_byte_), bytes) + handling_;
  }
  [[nodiscard]] Ticks port(std::uint64_t bytes) const {
    if (!by_figures()) return measured(message_.spacing(static_cast<double>(bytes)));
    return gap_ + rounded(gap_per_byte_, bytes);
  }
  [[nodiscard]] bool eager(std::uint64_t bytes) const {
    return static_cast<double>(bytes) <= eager_bytes_;
  }

  /// Upper bound on the sum of all costs. It is generous, so rounding does not matter.
  [[nodiscard]] double at_most(std::uint64_t bytes) const {
    if (!by_figures()) {
      const auto size = static_cast<double>(bytes);
      const double way = message_.way(size) + message_.exchange_delay(size);
      return 4 * (1 + (way + message_.spacing(size)) * ticks_per_second);
    }
    const double each = static_cast<double>(arrival_ + overhead_ + gap_ + handling_);
    return 4 * (each + 1 + static_cast<double>(bytes) * (overhead_per_byte_ + gap_per_byte_));
  }

  /// Whether the costs are those of the LogGP figures, which grow with the bytes.
  [[nodiscard]] bool by_figures() const { return message_.measured.empty(); }

 private:
  static Ticks measured(double seconds) { return ticks_of(seconds, "a message"); }

  static Ticks rounded(double per_byte, std::uint64_t bytes) {
    return static_cast<Ticks>(static_cast<double>(bytes - 1) * per_byte + 0.5);
  }

  MessageCosts message_;
  Ticks overhead_;
  Ticks arrival_;
  Ticks gap_;
  double overhead_per_byte_;
  double gap_per_byte_;
  double eager_bytes_;
  Ticks handling_;
  bool has_exchanges_;
};

class LoggopsReplay {
 public:
  /// Appends to the timeline unless it is null.
  LoggopsReplay(const Workload& workload, const Machine& machine,
                std::span<const std::uint32_t> nodes, Timeline* timeline)
      : timeline_(timeline),
        operations_(workload.operations()),
        nodes_(nodes),
        costs_{Costs(machine.between_nodes(), machine.eager_bytes),
               Costs(machine.within_node(), machine.eager_bytes)},
        ranks_(static_cast<std::size_t>(workload.ranks())),
        taken_in_(operations_.size()) {
    if (operations_.size() >= most_operations) {
      throw Error(text(operations_.size(), " operations: at most ", most_operations - 1));
    }
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
      ranks_[rank].next = workload.first(static_cast<Rank>(rank));
      ranks_[rank].end = workload.first(static_cast<Rank>(rank) + 1);
    }
    if (!nodes.empty() && nodes.size() != ranks_.size()) {
      throw Error(text("nodes for ", nodes.size(), " ranks, of which there are ", ranks_.size()));
    }
    if (!(most_ticks() < 0x1p62)) throw Error("the simulated run may take longer than 53 days");
  }

  Simulation run() {
    // The first events are all at time 0, in the sequence of their keys. So they need no queue,
    // which would have to hold one for each rank.
    number_ = ranks_.size();
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
      const RankState& state = ranks_[rank];
      if (state.next != state.end) go_on({0, std::uint64_t{rank} << 1, rank, state.next});
    }
    const auto look_ahead = [&](const simulator::Event& event) {
      __builtin_prefetch(&ranks_[event.rank], 1);
      __builtin_prefetch(&operations_[event.operation]);
    };
    while (!events_.empty()) {
      const simulator::Event event = events_.pop(look_ahead);
      if (is_message(event)) {
        take_in(event);
      } else {
        go_on(event);
      }
    }
    return result();
  }

 private:
  static constexpr std::uint32_t most_operations = std::uint32_t{1} << 30;

  /// Half a cache line.
  struct alignas(32) RankState {
    Ticks processor = 0;  // time at which it is free
    Ticks port_in = 0;
    Ticks port_out = 0;
    std::uint32_t next : 30 = 0;     // operation
    std::uint32_t awaits : 1 = 0;    // the message of its next operation
    std::uint32_t was_busy : 1 = 0;  // as a message arrived: it has a number in `number_of_queue_`
    std::uint32_t end = 0;           // behind the last operation
  };

  struct LowerKeyFirst {
    bool operator()(const simulator::Event& left, const simulator::Event& right) const {
      return left.key > right.key;
    }
  };

  /// Messages that wait until a rank is free.
  struct Waiting {
    static constexpr std::uint64_t no_key = ~std::uint64_t{0};

    std::uint64_t tried = no_key;  // lowest key of all, whose message is in the events
    std::priority_queue<simulator::Event, std::vector<simulator::Event>, LowerKeyFirst> others;
  };

  /// Costs of a message of which `rank` has one end.
  [[nodiscard]] const Costs& costs(std::uint32_t rank, const Operation& message) const {
    return costs_[!nodes_.empty() && nodes_[message.peer] == nodes_[rank]];
  }

  /// Upper bound on the ticks of a run. A rough one takes less time, and is mostly low enough.
  [[nodiscard]] double most_ticks() const {
    if (!costs_[0].by_figures() || !costs_[1].by_figures()) return sum_of_most_ticks();
    constexpr std::uint64_t most_of_computing = std::uint64_t{1} << 62;
    std::uint64_t computing = 0;
    std::uint64_t largest = 0;  // bytes of a message
    for (const Operation& operation : operations_) {
      if (operation.kind() != Workload::Kind::compute) {
        largest = std::max(largest, std::uint64_t{operation.amount});
      } else if (computing < most_of_computing) {
        computing += operation.amount;
      }
    }
    const double each = std::max(costs_[0].at_most(largest), costs_[1].at_most(largest));
    const double all =
        static_cast<double>(computing) + each * static_cast<double>(operations_.size());
    return all < 0x1p62 ? all : sum_of_most_ticks();
  }

  [[nodiscard]] double sum_of_most_ticks() const {
    double all = 0;
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
      for (std::uint32_t i = ranks_[rank].next; i < ranks_[rank].end; ++i) {
        const Operation& operation = operations_[i];
        all += operation.kind() == Workload::Kind::compute
                   ? static_cast<double>(operation.amount)
                   : costs(rank, operation).at_most(operation.amount);
      }
    }
    return all;
  }

  /// Keys grow with the sequence in which events are created. A waiting event keeps its key when it
  /// is inserted again. LogGOPSim breaks ties in this way.
  std::uint64_t new_key(bool message) { return number_++ << 1 | (message ? 1 : 0); }
  static bool is_message(const simulator::Event& event) { return (event.key & 1) != 0; }

  /// Inserts a rank's next operation, if any, at the earliest time at which it can begin.
  void put_in_next(std::uint32_t rank) {
    const RankState& state = ranks_[rank];
    if (state.next == state.end) return;
    const bool sends = operations_[state.next].kind() == Workload::Kind::send;
    events_.push({sends ? std::max(state.processor, state.port_out) : state.processor,
                  new_key(false), rank, state.next});
  }

  void finish_operation(std::uint32_t rank) {
    ++ranks_[rank].next;
    put_in_next(rank);
  }

  static simulator::Event later(const simulator::Event& event, Ticks time) {
    return {time, event.key, event.rank, event.operation};
  }

  void go_on(const simulator::Event& event) {
    RankState& state = ranks_[event.rank];
    const Operation& operation = operations_[event.operation];
    switch (operation.kind()) {
      case Workload::Kind::compute:
        if (state.processor > event.time) {
          events_.push(later(event, state.processor));
          return;
        }
        state.processor = event.time + operation.amount;
        record(event.time, event.rank, operation, state.processor, 0);
        finish_operation(event.rank);
        return;
      case Workload::Kind::send:
        send(event, operation);
        return;
      case Workload::Kind::recv:
        if (taken_in_[event.operation]) {
          receive(event.time, event.rank, operation);
        } else {
          state.awaits = 1;
        }
    }
  }

  void send(const simulator::Event& event, const Operation& operation) {
    RankState& state = ranks_[event.rank];
    if (const Ticks free = std::max(state.processor, state.port_out); free > event.time) {
      events_.push(later(event, free));
      return;
    }
    const Costs& cost = costs(event.rank, operation);
    state.processor = event.time + cost.processor_of_send(operation.amount);
    state.port_out = event.time + cost.port(operation.amount);
    record(event.time, event.rank, operation, state.processor, event.operation);
    // Most machines have no exchanges, and a look at the other rank's operations takes time.
    const bool crosses = cost.has_exchanges() && Workload::crosses(operations_, event.operation);
    events_.push({event.time + cost.arrival(operation.amount, crosses), new_key(true),
                  operation.peer, operation.partner});
    ++messages_;
    finish_operation(event.rank);
  }

  /// Takes in a message, identified by the operation that receives it.
  void take_in(const simulator::Event& event) {
    const Operation& message = operations_[event.operation];
    RankState& state = ranks_[event.rank];
    const bool was_tried = state.was_busy != 0 && waiting(event.rank).tried == event.key;
    const Ticks free = std::max(state.processor, state.port_in);
    if (free > event.time) {
      wait(later(event, free), was_tried);
      return;
    }
    const Costs& cost = costs(event.rank, message);
    state.processor = event.time + cost.processor_of_receive(message.amount);
    state.port_in = event.time + cost.port(message.amount);
    record(event.time, event.rank, message, state.processor, message.partner);
    if (was_tried) try_next(event.rank, std::max(state.processor, state.port_in));
    if (state.awaits != 0 && state.next == event.operation) {
      state.awaits = 0;
      receive(event.time, event.rank, message);
    } else {
      taken_in_[event.operation] = true;
    }
  }

  void receive(Ticks time, std::uint32_t receiver, const Operation& message) {
    if (!costs(receiver, message).eager(message.amount)) {
      RankState& sender = ranks_[message.peer];
      sender.processor = std::max(sender.processor, time);
    }
    finish_operation(receiver);
  }

  /// The messages that wait for a rank which was busy.
  Waiting& waiting(std::uint32_t rank) { return waiting_[number_of_queue_[rank]]; }

  /// Of the messages that wait for a rank, only the one with the lowest key tries again when the
  /// rank is free: no other could be taken in before it.
  void wait(const simulator::Event& again, bool was_tried) {
    RankState& state = ranks_[again.rank];
    if (state.was_busy == 0) {
      state.was_busy = 1;
      number_of_queue_.resize(ranks_.size());
      number_of_queue_[again.rank] = static_cast<std::uint32_t>(waiting_.size());
      waiting_.emplace_back();
    }
    Waiting& messages = waiting(again.rank);
    if (was_tried || again.key < messages.tried) {
      messages.tried = again.key;
      events_.push(again);
    } else {
      messages.others.push(again);
    }
  }

  void try_next(std::uint32_t rank, Ticks free) {
    Waiting& messages = waiting(rank);
    messages.tried = Waiting::no_key;
    if (messages.others.empty()) return;
    const simulator::Event next = messages.others.top();
    messages.others.pop();
    messages.tried = next.key;
    events_.push(later(next, free));
  }

  void record(Ticks start, std::uint32_t rank, const Operation& operation, Ticks end,
              std::uint32_t send) {
    if (timeline_ == nullptr) return;
    const bool message = operation.kind() != Workload::Kind::compute;
    timeline_->push_back({static_cast<Rank>(rank), operation.kind(), start, end,
                          message ? static_cast<Rank>(operation.peer) : 0,
                          message ? std::uint64_t{operation.amount} : 0, send});
  }

  Simulation result() const {
    Simulation simulation;
    simulation.finish.reserve(ranks_.size());
    Ticks last = 0;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      const RankState& state = ranks_[rank];
      if (state.next != state.end) {
        throw Error(text("rank ", rank, " waits forever for a message from rank ",
                         operations_[state.next].peer));
      }
      last = std::max(last, state.processor);
      simulation.finish.push_back(seconds_of(state.processor));
    }
    simulation.makespan = seconds_of(last);
    simulation.messages = messages_;
    return simulation;
  }

  Timeline* timeline_;
  const std::vector<Operation>& operations_;
  std::span<const std::uint32_t> nodes_;
  std::array<Costs, 2> costs_;  // between nodes, inside one
  std::vector<RankState> ranks_;
  std::vector<bool> taken_in_;                  // by operation: messages that no receive awaited
  std::vector<std::uint32_t> number_of_queue_;  // by rank, in `waiting_`; empty without queues
  std::deque<Waiting> waiting_;                 // of the ranks that were busy
  simulator::EventQueue events_;
  std::uint64_t number_ = 0;  // number of events
  Index messages_ = 0;
};

}  // namespace

Simulation replay_loggops(const Workload& workload, const Machine& machine,
                          std::span<const std::uint32_t> nodes, Timeline* timeline) {
  machine.check();
  if (timeline != nullptr) timeline->clear();
  if (!workload.leaves_caches()) return LoggopsReplay(workload, machine, nodes, timeline).run();
  return LoggopsReplay(workload, machine.out_of_cache(), nodes, timeline).run();
}

}  // namespace bracket
