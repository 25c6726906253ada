// SPDX-License-Identifier: MIT

#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "bracket/simulator/workload.hpp"
#include "simulator/loggops/loggopsim.hpp"

namespace bracket::testing {

using Nodes = std::vector<std::uint32_t>;

/// LogGOPS by its definition. Takes one event after another from one list, the oldest first, and
/// tries it again until it is possible. Times are in picoseconds.
class ObviousLoggops {
 public:
  ObviousLoggops(const Workload& workload, const Figures& figures, const Nodes& nodes = {},
                 const Figures& inside = {})
      : workload_(workload),
        figures_(figures),
        nodes_(nodes),
        inside_(inside),
        ranks_(static_cast<std::size_t>(workload.ranks())) {
    for (Rank rank = 0; rank < workload.ranks(); ++rank) put_in_next(rank);
    while (!events_.empty()) {
      const auto [when, what] = *events_.begin();
      events_.erase(events_.begin());
      happen(when.first, when.second, what);
    }
  }

  std::vector<double> finish() const {
    std::vector<double> times;
    for (const auto& rank : ranks_) times.push_back(rank.processor / 1e12);
    return times;
  }

  bool complete() const {
    for (Rank rank = 0; rank < workload_.ranks(); ++rank) {
      if (ranks_[static_cast<std::size_t>(rank)].done < workload_.operations(rank).size()) {
        return false;
      }
    }
    return true;
  }

 private:
  using Kind = Workload::Kind;

  struct Message {
    Rank from, to;
    double bytes;
  };
  struct Event {
    Rank rank;
    const Workload::Operation* operation;  // null for a message
    Message message;
  };
  struct State {
    double processor = 0, in = 0, out = 0;
    std::size_t done = 0;
    Rank awaits = -1;
    std::vector<Message> there;
  };

  const Figures& figures(Rank one, Rank other) const {
    return !nodes_.empty() &&
                   nodes_[static_cast<std::size_t>(one)] == nodes_[static_cast<std::size_t>(other)]
               ? inside_
               : figures_;
  }

  State& at(Rank rank) { return ranks_[static_cast<std::size_t>(rank)]; }

  void put_in_next(Rank rank) {
    State& state = at(rank);
    const auto operations = workload_.operations(rank);
    if (state.done == operations.size()) return;
    const auto& next = operations[state.done];
    const double time =
        next.kind() == Kind::send ? std::max(state.processor, state.out) : state.processor;
    events_[{time, number_++}] = {rank, &next, {}};
  }

  void done(Rank rank) {
    ++at(rank).done;
    put_in_next(rank);
  }

  void received(double time, Rank rank, const Message& message) {
    if (message.bytes > figures_.S) {
      State& sender = at(message.from);
      sender.processor = std::max(sender.processor, time);
      sender.out = std::max(sender.out, time);
    }
    done(rank);
  }

  void happen(double time, int number, const Event& event) {
    State& state = at(event.rank);
    const auto [L, o, g, G, O, S] =
        event.operation == nullptr ? figures(event.message.from, event.message.to)
                                   : figures(event.rank, static_cast<Rank>(event.operation->peer));
    if (event.operation == nullptr) {
      const double free = std::max(state.processor, state.in);
      const double more = event.message.bytes - 1;
      if (free > time) {
        events_[{free, number}] = event;
        return;
      }
      state.processor = time + o + more * std::max(O, G);
      state.in = time + g + more * G;
      if (state.awaits == event.message.from) {
        state.awaits = -1;
        received(time, event.rank, event.message);
      } else {
        state.there.push_back(event.message);
      }
      return;
    }
    const auto peer = static_cast<Rank>(event.operation->peer);
    const auto amount = static_cast<double>(event.operation->amount);
    switch (event.operation->kind()) {
      case Kind::compute:
        if (state.processor > time) {
          events_[{state.processor, number}] = event;
        } else {
          state.processor = time + amount;
          done(event.rank);
        }
        break;
      case Kind::send:
        if (const double free = std::max(state.processor, state.out); free > time) {
          events_[{free, number}] = event;
        } else {
          state.processor = time + o + (amount - 1) * O;
          state.out = time + g + (amount - 1) * G;
          events_[{time + o + L, number_++}] = {peer, nullptr, {event.rank, peer, amount}};
          done(event.rank);
        }
        break;
      case Kind::recv: {
        const auto found =
            std::find_if(state.there.begin(), state.there.end(),
                         [&](const Message& message) { return message.from == peer; });
        if (found == state.there.end()) {
          state.awaits = peer;
        } else {
          const Message message = *found;
          state.there.erase(found);
          received(time, event.rank, message);
        }
      }
    }
  }

  const Workload& workload_;
  Figures figures_;
  Nodes nodes_;
  Figures inside_;
  std::vector<State> ranks_;
  std::map<std::pair<double, int>, Event> events_;
  int number_ = 0;
};

}  // namespace bracket::testing
