#include "bracket/simulator/workload.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bracket/model/matching.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket {

namespace {

constexpr std::uint64_t largest = std::uint64_t{1} << 58;

}  // namespace

Ticks ticks_of(double seconds, const char* what) {
  const double ticks = std::round(seconds * ticks_per_second);
  if (!(ticks >= 0 && ticks <= static_cast<double>(largest))) {
    throw Error(text(what, " is ", seconds, " seconds: a time from 0 to ", seconds_of(largest),
                     " was expected"));
  }
  return static_cast<Ticks>(ticks);
}

namespace {

/// Seconds before the first step of a rank of a `Schedule` or a `Problem`.
template <class Of>
auto starts(const Machine& machine, const Of& of) {
  return [&machine, &of](Rank rank) {
    const Index held = of.distribution.range(rank).size();
    const Rank ranks = of.distribution.ranks();
    return machine.start(ranks, of.delivery.collective,
                         static_cast<double>(held) * static_cast<double>(of.items),
                         of.delivery.wanted(rank, ranks, of.items).size());
  };
}

}  // namespace

Workload::Workload(const Machine& machine) { machine.check(); }

Workload::Workload(const Schedule& schedule, const Machine& machine, const Disturbance& disturbance,
                   std::span<const std::uint32_t> nodes)
    : Workload(machine) {
  const auto ranks = static_cast<Rank>(schedule.parts.size());
  first_.reserve(schedule.parts.size() + 1);
  Work work(machine, schedule.distribution, schedule.items, schedule.delivery, nodes);
  const auto start_of = starts(machine, schedule);
  for (Rank rank = 0; rank < ranks; ++rank) {
    const RankPart& part = schedule.parts[static_cast<std::size_t>(rank)];
    add(part, work, machine, disturbance, ranks, start_of(rank));
  }
  leaves_caches_ = work.leaves_caches();
  match();
}

Workload::Workload(const Problem& problem, const Plan& plan, const Machine& machine,
                   const Disturbance& disturbance, std::span<const std::uint32_t> nodes)
    : Workload(machine) {
  check_scheduled(plan);
  check_fit(problem, plan);
  const Rank ranks = problem.distribution.ranks();
  first_.reserve(static_cast<std::size_t>(ranks) + 1);
  Work work(machine, problem.distribution, problem.items, problem.delivery, nodes);
  const auto start_of = starts(machine, problem);
  for (Rank rank = 0; rank < ranks; ++rank) {
    add(plan.part(problem, rank), work, machine, disturbance, ranks, start_of(rank));
  }
  leaves_caches_ = work.leaves_caches();
  match();
}

void Workload::add(Kind kind, Rank peer, std::uint64_t amount) {
  if (operations_.size() == std::numeric_limits<std::uint32_t>::max()) {
    throw Error(text("more than ", operations_.size(), " operations"));
  }
  operations_.push_back(
      {amount, static_cast<std::uint64_t>(kind), 0, 0, static_cast<std::uint32_t>(peer), 0});
}

void Workload::add(const RankPart& part, Work& work, const Machine& machine,
                   const Disturbance& disturbance, Rank ranks, double start) {
  const auto rank = static_cast<Rank>(first_.size() - 1);
  const RankWork seconds_of = work.of(rank, part);
  const bool disturbed = disturbance.any();
  double before = disturbed ? disturbance.lateness(rank) : 0;
  double seconds = part.steps().empty() ? 0 : start;
  std::uint64_t interval = 0;
  const auto end_computing = [&] {
    if (disturbed) seconds = before + disturbance.computing(rank, interval++, seconds);
    if (const Ticks ticks = ticks_of(seconds, "the computing time of a rank"); ticks > 0)
      add(Kind::compute, rank, ticks);
    before = 0;
    seconds = 0;
  };
  for (const Step& step : part.steps()) {
    seconds += seconds_of(step);
    if (step.kind != StepKind::send && step.kind != StepKind::recv) continue;
    end_computing();
    const bool sends = step.kind == StepKind::send;
    if (step.peer < 0 || step.peer >= ranks || step.peer == rank) {
      throw Error(text("rank ", rank, (sends ? " sends to " : " receives from "), step.peer,
                       ", which is not another one of the ", ranks, " ranks"));
    }
    const double bytes = machine.message_bytes(part.values(step));
    if (!(bytes >= 1 && bytes <= static_cast<double>(largest))) {
      throw Error(text("rank ", rank, ": a message of ", bytes, " bytes"));
    }
    add(sends ? Kind::send : Kind::recv, step.peer, static_cast<std::uint64_t>(bytes));
  }
  end_computing();
  first_.push_back(static_cast<std::uint32_t>(operations_.size()));
}

void Workload::match() {
  const auto rank_of = [&](std::uint32_t operation) {
    return std::upper_bound(first_.begin(), first_.end(), operation) - first_.begin() - 1;
  };
  match_messages(
      first_,
      [&](std::uint32_t i) -> MessageEnd {
        const Operation& operation = operations_[i];
        if (operation.kind() == Kind::compute) return {};
        return {operation.kind() == Kind::send ? MessageEnd::Kind::send : MessageEnd::Kind::recv,
                operation.peer};
      },
      [&](std::uint32_t from, std::uint32_t to) {
        Operation& send = operations_[from];
        Operation& receive = operations_[to];
        if (send.amount != receive.amount) {
          throw Error(text("rank ", receive.peer, " sends ", std::uint64_t{send.amount},
                           " bytes to rank ", send.peer, ", which expects ",
                           std::uint64_t{receive.amount}));
        }
        send.partner = to;
        receive.partner = from;
      },
      [&](std::uint32_t send) {
        throw Error(text("rank ", rank_of(send), " sends a message to rank ",
                         operations_[send].peer, ", which does not receive it"));
      },
      [&](std::uint32_t receive) {
        throw Error(text("rank ", rank_of(receive), " receives a message from rank ",
                         operations_[receive].peer, ", which does not send it"));
      });
}

}  // namespace bracket
