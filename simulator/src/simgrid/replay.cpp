// SPDX-License-Identifier: MIT

#include "simgrid/replay.hpp"

#include <simgrid/version.h>
#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cmath>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::simulator {

namespace s4u = simgrid::s4u;

namespace {

constexpr Ticks longest = Ticks{1} << 62;

constexpr const char* overhead = "the overhead of a message";

double bytes_of(const Workload::Operation& message) { return static_cast<double>(message.amount); }

/// Number of bytes that take time on the links. The latency includes the first byte.
double behind_first(const Workload::Operation& message) { return bytes_of(message) - 1; }

Ticks passed(double seconds) { return ticks_of(seconds, "a message's way"); }

}  // namespace

Replay::Replay(const Workload& workload, const Machine& machine, Platform& platform,
               Timeline* timeline)
    : operations_(workload.operations()),
      platform_(platform),
      between_nodes_(machine.between_nodes()),
      within_node_(machine.within_node()),
      timeline_(timeline),
      ranks_(static_cast<std::size_t>(workload.ranks())),
      unfinished_(ranks_.size()) {
  for (Rank rank = 0; rank < workload.ranks(); ++rank) {
    ranks_[static_cast<std::size_t>(rank)].next = workload.first(rank);
    ranks_[static_cast<std::size_t>(rank)].end = workload.first(rank + 1);
    for (std::uint32_t i = workload.first(rank); i < workload.first(rank + 1); ++i) {
      Operation& operation = operations_[i];
      if (operation.kind() == Workload::Kind::compute) continue;
      operation.inside_node = platform.on_one_node(rank, static_cast<Rank>(operation.peer));
    }
  }
  result_.finish.resize(ranks_.size());
  if (platform.power().known()) energy_.emplace(platform.power(), platform.nodes());
}

Simulation Replay::run() {
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) push(0, What::goes_on, rank, 0);
  if (platform_.constant()) {
    run_by_itself();
  } else {
    run_in_simgrid();
  }
  result_.makespan = *std::max_element(result_.finish.begin(), result_.finish.end());
  if (energy_) result_.joules = energy_->joules(result_.makespan);
  if (timeline_ != nullptr) {
    std::stable_sort(timeline_->begin(), timeline_->end(),
                     [](const Interval& a, const Interval& b) { return a.start < b.start; });
  }
  return std::move(result_);
}

void Replay::run_by_itself() {
  Flows& flows = platform_.flows();
  while (unfinished_ > 0) {
    if (events_.empty()) throw_stuck();
    now_ = events_.top().time;
    while (!events_.empty() && events_.top().time == now_) happen();
    flows.settle(now_, [&](Flows::Id flow) {
      push(flows.end_of(flow), What::has_come, flow, on_links_[flow].send);
    });
  }
}

void Replay::run_in_simgrid() {
  const auto completed = [this](const s4u::Activity& activity) { transferred(activity); };
#if SIMGRID_VERSION >= 33400
  s4u::Comm::on_completion_cb(completed);
#else
  s4u::Activity::on_completion_cb(completed);
#endif
  set_timer(0);
  try {
    platform_.engine().run();
    throw_stuck();
  } catch (const Over&) {
  }
}

void Replay::push(Ticks time, What what, std::uint32_t subject, std::uint32_t operation) {
  if (time > longest) throw Error("the simulated run takes longer than 53 days");
  events_.push({time, number_++ << 3 | static_cast<std::uint64_t>(what), subject, operation});
}

void Replay::set_timer(double date) {
  using simgrid::kernel::timer::Timer;
  if (timer_ != nullptr) {
    if (timer_->get_date() <= date) return;
    timer_->remove();
  }
  timer_ = Timer::set(date, [this] {
    timer_ = nullptr;
    wake();
  });
}

/// Processes all events that are due.
void Replay::wake() {
  const double clock = s4u::Engine::get_clock();
  now_ = std::max(now_, static_cast<Ticks>(clock * ticks_per_second + 0.5));
  for (std::size_t i = 0; i < ended_.size(); ++i) end(ended_[i]);
  ended_.clear();
  while (!events_.empty()) {
    const Ticks next = events_.top().time;
    if (next > now_ && seconds_of(next) > clock) break;
    now_ = std::max(now_, next);
    happen();
  }
  if (unfinished_ == 0) throw Over{};
  if (!events_.empty()) {
    set_timer(seconds_of(events_.top().time));
  } else if (in_simgrid_ == 0) {
    throw_stuck();
  }
}

/// Processes the next event.
void Replay::happen() {
  const Event event = events_.top();
  events_.pop();
  switch (static_cast<What>(event.key & 7)) {
    case What::goes_on:
      advance(event.rank);
      return;
    case What::leaves:
      leave(event.operation, now_);
      return;
    case What::comes:
      come(event.operation);
      return;
    case What::has_come:
      // Skips an event whose message has another end by now.
      if (on_links_[event.rank].send != event.operation) return;
      if (platform_.flows().end_of(event.rank) != event.time) return;
      platform_.flows().end(event.rank);
      arrive(event.operation, on_links_[event.rank].came);
      return;
    case What::is_there:
      arrive(event.operation, event.time - on_no_links(operations_[event.operation]));
  }
}

/// Advances a rank to its next message that has not arrived. Other ranks cannot change anything
/// before that point.
void Replay::advance(std::uint32_t rank) {
  RankState& state = ranks_[rank];
  Ticks time = now_;
  for (; state.next < state.end; ++state.next) {
    Operation& operation = operations_[state.next];
    if (operation.kind() == Workload::Kind::recv && operation.state != arrived) {
      if (time > now_) {
        push(time, What::goes_on, rank, 0);
      } else {
        operation.state = awaited;
        state.waits_since = now_;
      }
      if (energy_) energy_->compute(rank, now_, time);
      return;
    }
    if (state.waits_since != never) {
      const Ticks end = end_of_wait(operation, state);
      record(rank, state.next, now_, end);
      state.waits_since = never;
      time = end;
      continue;
    }
    const Ticks end = end_of(operation, time);
    record(rank, state.next, time, end);
    if (operation.kind() == Workload::Kind::send) {
      send(state.next,
           time + ticks_of(costs(operation).passage(bytes_of(operation)).before, overhead));
    }
    time = end;
  }
  if (energy_) energy_->compute(rank, now_, time);
  result_.finish[rank] = seconds_of(time);
  --unfinished_;
}

Ticks Replay::end_of(const Operation& operation, Ticks begin) const {
  const double bytes = bytes_of(operation);
  switch (operation.kind()) {
    case Workload::Kind::compute:
      return begin + operation.amount;
    case Workload::Kind::send:
      return begin + ticks_of(costs(operation).sending(bytes), overhead);
    default:
      return begin + ticks_of(costs(operation).receiving(bytes), overhead);
  }
}

/// End of a receive whose message has just arrived: the rank took its bytes in as they came.
Ticks Replay::end_of_wait(const Operation& receive, const RankState& state) const {
  const Ticks after = ticks_of(costs(receive).passage(bytes_of(receive)).after, overhead);
  return std::max(now_ + after, end_of(receive, std::max(state.waits_since, state.came)));
}

const MessageCosts& Replay::costs(const Operation& message) const {
  return message.inside_node != 0 ? within_node_ : between_nodes_;
}

void Replay::send(std::uint32_t operation, Ticks time) {
  ++result_.messages;
  if (platform_.constant()) {
    leave(operation, time);
  } else {
    push(time, What::leaves, 0, operation);
  }
}

void Replay::leave(std::uint32_t send, Ticks time) {
  const Route way = route(send);
  const Operation& message = operations_[send];
  if (energy_) energy_->carry(way.joules_per_byte * static_cast<double>(message.amount));
  const MessageCosts& cost = costs(message);
  Ticks latency = way.latency;
  if (platform_.constant() && !cost.measured.empty()) {
    const Passage parts = cost.passage(bytes_of(message));
    latency = passed(cost.latency > 0 ? seconds_of(latency) * (parts.latency / cost.latency)
                                      : parts.latency);
    if (Workload::crosses(operations_, send)) {
      latency += passed(cost.exchange_delay(bytes_of(message)));
    }
  }
  if (way.has_links) {
    push(time + latency, What::comes, 0, send);
  } else {
    push(time + latency + on_no_links(message), What::is_there, 0, send);
  }
}

Ticks Replay::on_no_links(const Operation& message) const {
  if (!platform_.constant()) return 0;
  return passed(costs(message).passage(bytes_of(message)).on_links);
}

void Replay::come(std::uint32_t send) {
  if (!platform_.constant()) {
    transfer(send);
    return;
  }
  const Operation& message = operations_[send];
  const MessageCosts& cost = costs(message);
  // Number of bytes that take the measured time on links of bandwidth 1 / G.
  const bool stretched = !cost.measured.empty() && cost.gap_per_byte > 0;
  const double bytes = stretched ? cost.passage(bytes_of(message)).on_links / cost.gap_per_byte
                                 : behind_first(message);
  const Flows::Id flow = platform_.flows().begin(now_, route(send).links, bytes);
  if (on_links_.size() <= flow) on_links_.resize(flow + 1);
  on_links_[flow] = {send, now_};
}

void Replay::transfer(std::uint32_t send) {
  const Operation& message = operations_[send];
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(transfers_.size()));
    transfers_.emplace_back();
  }
  const std::uint32_t id = free_.back();
  free_.pop_back();
  const s4u::CommPtr comm = s4u::Comm::sendto_init(platform_.host(sender(send)),
                                                   platform_.host(static_cast<Rank>(message.peer)));
  transfers_[id] = {send, now_, comm};
  comm->set_data(reinterpret_cast<void*>(std::uintptr_t{id}));
  comm->set_payload_size(static_cast<std::uint64_t>(behind_first(message)));
  ++in_simgrid_;
  comm->start();
}

/// Notes the end of an activity, which SimGrid still uses when this function returns.
void Replay::transferred(const s4u::Activity& activity) {
  const auto id = reinterpret_cast<std::uintptr_t>(activity.get_data<void>());
  ended_.push_back(
      {static_cast<std::uint32_t>(id), activity.get_state() == s4u::Activity::State::FINISHED});
  set_timer(s4u::Engine::get_clock());
}

void Replay::end(const Ended& ended) {
  const std::uint32_t send = transfers_[ended.transfer].send;
  if (!ended.whole) {
    throw Error(text("a message from rank ", sender(send), " to rank ", operations_[send].peer,
                     " is lost: a link or a host on its way went down"));
  }
  --in_simgrid_;
  transfers_[ended.transfer].comm = nullptr;
  free_.push_back(ended.transfer);
  arrive(send, transfers_[ended.transfer].came);
}

void Replay::arrive(std::uint32_t send, Ticks came) {
  Operation& receive = operations_[operations_[send].partner];
  const bool waits = receive.state == awaited;
  receive.state = arrived;
  if (!waits) return;
  const std::uint32_t receiver = operations_[send].peer;
  ranks_[receiver].came = came;
  advance(receiver);
}

Route Replay::route(std::uint32_t send) const {
  return platform_.route(sender(send), static_cast<Rank>(operations_[send].peer));
}

/// Sender of a message: the peer of its receive.
Rank Replay::sender(std::uint32_t send) const {
  return static_cast<Rank>(operations_[operations_[send].partner].peer);
}

void Replay::record(std::uint32_t rank, std::uint32_t operation, Ticks start, Ticks end) {
  if (timeline_ == nullptr) return;
  const Operation& what = operations_[operation];
  Interval interval{
      .rank = static_cast<Rank>(rank), .kind = what.kind(), .start = start, .end = end};
  if (what.kind() != Workload::Kind::compute) {
    interval.peer = static_cast<Rank>(what.peer);
    interval.bytes = what.amount;
    interval.send = what.kind() == Workload::Kind::send ? operation : what.partner;
  }
  timeline_->push_back(interval);
}

void Replay::throw_stuck() const {
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    const RankState& state = ranks_[rank];
    if (state.next == state.end) continue;
    throw Error(text("rank ", rank, " waits forever for a message from rank ",
                     operations_[state.next].peer));
  }
  throw Error("SimGrid stopped before all messages were there");
}

}  // namespace bracket::simulator
