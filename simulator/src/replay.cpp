#include "replay.hpp"

#include <simgrid/version.h>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u.hpp>

#include <algorithm>

#include "bracket/model/error.hpp"
#include "bracket/model/verify.hpp"

namespace bracket::simulator {

namespace s4u = simgrid::s4u;

Replay::Replay(const Schedule& schedule, const Machine& machine, const Matching& matching,
               Platform& platform)
    : schedule_(schedule),
      machine_(machine),
      matching_(matching),
      platform_(platform),
      ranks_(schedule.parts.size()),
      arrived_(matching.messages.size()),
      under_way_(matching.messages.size()),
      unfinished_(schedule.ranks()) {
  result_.finish.resize(schedule.parts.size());
}

Simulation Replay::run() {
  const auto completed = [this](const s4u::Activity& activity) { transferred(activity); };
#if SIMGRID_VERSION >= 33400
  s4u::Comm::on_completion_cb(completed);
#else
  s4u::Activity::on_completion_cb(completed);
#endif
  for (Rank rank = 0; rank < schedule_.ranks(); ++rank) advance(rank);
  try {
    stop_if_over();
    platform_.engine().run();
    throw_stuck("SimGrid stopped before its message or its work was done");
  } catch (const Over&) {
  }
  result_.makespan = *std::max_element(result_.finish.begin(), result_.finish.end());
  return std::move(result_);
}

template <class Then>
void Replay::after(double seconds, Then then) {
  ++pending_;
  simgrid::kernel::timer::Timer::set(s4u::Engine::get_clock() + seconds, [this, then] {
    --pending_;
    then();
    stop_if_over();
  });
}

void Replay::advance(Rank rank) {
  const auto i = static_cast<std::size_t>(rank);
  const RankPart& part = schedule_.parts[i];
  RankState& state = ranks_[i];
  while (state.next < part.steps().size()) {
    const Step& step = part.steps()[state.next];
    const bool message = step.kind == StepKind::send || step.kind == StepKind::recv;
    if (step.kind == StepKind::recv && !arrived_[matching_.of_step[i][state.next]]) {
      state.waits_for = matching_.of_step[i][state.next];
      return;
    }
    const double busy = message ? machine_.overhead : machine_.work(part, step);
    if (busy > 0) {
      after(busy, [this, rank] {
        end_step(rank);
        advance(rank);
      });
      return;
    }
    end_step(rank);
  }
  result_.finish[i] = s4u::Engine::get_clock();
  --unfinished_;
}

void Replay::end_step(Rank rank) {
  const auto i = static_cast<std::size_t>(rank);
  const std::size_t step = ranks_[i].next++;
  if (schedule_.parts[i].steps()[step].kind == StepKind::send) depart(matching_.of_step[i][step]);
}

void Replay::depart(MessageId id) {
  ++result_.messages;
  const Message& message = matching_.messages[id];
  const Route route = platform_.route(message.from, message.to);
  after(route.latency, [this, id, has_links = route.has_links] {
    if (has_links) {
      transfer(id);
    } else {
      arrive(id);
    }
  });
}

void Replay::transfer(MessageId id) {
  const Message& message = matching_.messages[id];
  const s4u::CommPtr comm =
      s4u::Comm::sendto_init(platform_.host(message.from), platform_.host(message.to));
  under_way_[id] = comm;
  comm->set_data(const_cast<Message*>(&message));  // NOLINT: SimGrid's user data is not const
  constexpr double most = 0x1p63;                  // bytes; centuries on any network
  comm->set_payload_size(
      static_cast<std::uint64_t>(std::min(most, machine_.message_bytes(message.values))));
  ++pending_;
  comm->start();
}

void Replay::transferred(const s4u::Activity& activity) {
  --pending_;
  const auto id = static_cast<MessageId>(activity.get_data<Message>() - matching_.messages.data());
  const bool whole = activity.get_state() == s4u::Activity::State::FINISHED;
  // SimGrid still uses the activity when this returns.
  after(0, [this, id, whole] {
    under_way_[id] = nullptr;
    if (!whole) {
      const Message& message = matching_.messages[id];
      throw Error(text("a message from rank ", message.from, " to rank ", message.to,
                       " is lost: a link or a host on its way went down"));
    }
    arrive(id);
  });
}

void Replay::arrive(MessageId id) {
  arrived_[id] = true;
  const Rank rank = matching_.messages[id].to;
  RankState& state = ranks_[static_cast<std::size_t>(rank)];
  if (state.waits_for != id) return;
  state.waits_for = no_message;
  advance(rank);
}

void Replay::stop_if_over() const {
  if (unfinished_ == 0) throw Over{};
  if (pending_ == 0) throw_stuck("waits forever: the schedule's ranks wait for each other");
}

void Replay::throw_stuck(const char* why) const {
  for (Rank rank = 0; rank < schedule_.ranks(); ++rank) {
    const std::size_t step = ranks_[static_cast<std::size_t>(rank)].next;
    if (step == schedule_.parts[static_cast<std::size_t>(rank)].steps().size()) continue;
    throw Error(describe(schedule_, {rank, static_cast<std::ptrdiff_t>(step), why}));
  }
  throw Error(why);
}

}  // namespace bracket::simulator
