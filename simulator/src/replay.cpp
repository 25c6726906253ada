#include "replay.hpp"

#include <simgrid/version.h>
#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cmath>

#include "bracket/model/error.hpp"

namespace bracket::simulator {

namespace s4u = simgrid::s4u;

namespace {

constexpr Ticks longest = Ticks{1} << 62;

}  // namespace

Replay::Overhead::Overhead(const MessageCosts& costs, const Machine& machine)
    : of_message_(ticks_of(costs.overhead, "the overhead")),
      per_byte_(machine.overhead_per_byte * ticks_per_second) {}

Ticks Replay::Overhead::of(std::uint64_t bytes) const {
  if (per_byte_ == 0) return of_message_;
  const double all = static_cast<double>(bytes - 1) * per_byte_;
  return of_message_ + ticks_of(all / ticks_per_second, "the overhead of a message");
}

Replay::Replay(const Workload& workload, const Machine& machine, Platform& platform,
               Timeline* timeline)
    : operations_(workload.operations()),
      platform_(platform),
      between_nodes_(machine.between_nodes(), machine),
      within_node_(machine.within_node(), machine),
      timeline_(timeline),
      ranks_(static_cast<std::size_t>(workload.ranks())),
      unfinished_(ranks_.size()) {
  for (Rank rank = 0; rank < workload.ranks(); ++rank) {
    ranks_[static_cast<std::size_t>(rank)] = {workload.first(rank), workload.first(rank + 1)};
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
      push(flows.end_of(flow), What::has_come, flow, send_of_flow_[flow]);
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
  if (time > longest) throw Error("it takes longer than 53 days");
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

/// Does all that is due.
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

/// What is next.
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
      // Unless it has another end by now.
      if (send_of_flow_[event.rank] != event.operation) return;
      if (platform_.flows().end_of(event.rank) != event.time) return;
      platform_.flows().end(event.rank);
      arrive(event.operation);
      return;
    case What::is_there:
      arrive(event.operation);
  }
}

/// Up to the next message that is not there yet: nothing before can be changed by others.
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
      }
      if (energy_) energy_->compute(rank, now_, time);
      return;
    }
    const Ticks end = time + busy(operation);
    record(rank, state.next, time, end);
    time = end;
    if (operation.kind() == Workload::Kind::send) send(state.next, time);
  }
  if (energy_) energy_->compute(rank, now_, time);
  result_.finish[rank] = seconds_of(time);
  --unfinished_;
}

Ticks Replay::busy(const Operation& operation) const {
  if (operation.kind() == Workload::Kind::compute) return operation.amount;
  return (operation.inside_node != 0 ? within_node_ : between_nodes_).of(operation.amount);
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
  if (energy_) energy_->carry(way.joules_per_byte * static_cast<double>(operations_[send].amount));
  const double seconds = static_cast<double>(operations_[send].amount) / way.bandwidth;
  if (way.has_links) {
    push(time + way.latency, What::comes, 0, send);
  } else {
    push(time + way.latency + ticks_of(seconds, "a message inside a node"), What::is_there, 0,
         send);
  }
}

void Replay::come(std::uint32_t send) {
  if (!platform_.constant()) {
    transfer(send);
    return;
  }
  const auto bytes = static_cast<double>(operations_[send].amount);
  const Flows::Id flow = platform_.flows().begin(now_, route(send).links, bytes);
  if (send_of_flow_.size() <= flow) send_of_flow_.resize(flow + 1);
  send_of_flow_[flow] = send;
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
  transfers_[id] = {send, comm};
  comm->set_data(reinterpret_cast<void*>(std::uintptr_t{id}));
  comm->set_payload_size(message.amount);
  ++in_simgrid_;
  comm->start();
}

/// SimGrid still uses the activity when this returns.
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
  arrive(send);
}

void Replay::arrive(std::uint32_t send) {
  Operation& receive = operations_[operations_[send].partner];
  const bool waits = receive.state == awaited;
  receive.state = arrived;
  if (waits) advance(operations_[send].peer);
}

Route Replay::route(std::uint32_t send) const {
  return platform_.route(sender(send), static_cast<Rank>(operations_[send].peer));
}

/// The send's own rank is what its receive calls its peer.
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
    throw Error(text("rank ", rank, " waits for ever for a message from rank ",
                     operations_[state.next].peer));
  }
  throw Error("SimGrid stopped before all messages were there");
}

}  // namespace bracket::simulator
