#include "bracket/simulator/workload.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bracket/support/error.hpp"

namespace bracket {

namespace {

constexpr std::uint64_t largest = std::uint64_t{1} << 58;

/// One end of a message, as the other rank sees it.
struct End {
  std::uint32_t peer;
  std::uint32_t operation;
};

bool by_peer(const End& left, const End& right) { return left.peer < right.peer; }

}  // namespace

Ticks ticks_of(double seconds, const char* what) {
  const double ticks = std::round(seconds * ticks_per_second);
  if (!(ticks >= 0 && ticks <= static_cast<double>(largest))) {
    throw Error(text(what, " is ", seconds, " seconds: between 0 and ", seconds_of(largest),
                     " were expected"));
  }
  return static_cast<Ticks>(ticks);
}

Workload::Workload(const Machine& machine) { machine.check(); }

Workload::Workload(const Schedule& schedule, const Machine& machine, const Disturbance& disturbance,
                   std::span<const std::uint32_t> nodes)
    : Workload(machine) {
  const auto ranks = static_cast<Rank>(schedule.parts.size());
  first_.reserve(schedule.parts.size() + 1);
  Work work(machine, schedule.distribution, schedule.items, schedule.delivery, nodes);
  for (const RankPart& part : schedule.parts) add(part, work, machine, disturbance, ranks);
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
  for (Rank rank = 0; rank < ranks; ++rank) {
    add(plan.part(problem, rank), work, machine, disturbance, ranks);
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
                   const Disturbance& disturbance, Rank ranks) {
  const auto rank = static_cast<Rank>(first_.size() - 1);
  const RankWork seconds_of = work.of(rank, part);
  const bool disturbed = disturbance.any();
  double before = disturbed ? disturbance.lateness(rank) : 0;
  double seconds = part.steps().empty() ? 0 : machine.start(ranks);
  std::uint64_t interval = 0;
  const auto end_computing = [&] {
    if (disturbed) seconds = before + disturbance.computing(rank, interval++, seconds);
    if (const Ticks ticks = ticks_of(seconds, "what a rank computes"); ticks > 0)
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
                       ", which is no other of the ", ranks, " ranks"));
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

/// The first from a rank to another goes to the first receive, and so on.
void Workload::match() {
  // The sends to each rank: by sender and, of one, in its sequence.
  std::vector<std::uint32_t> first_to(first_.size() + 1, 0);
  for (const Operation& operation : operations_) {
    if (operation.kind() == Kind::send) ++first_to[operation.peer + 2];
  }
  for (std::size_t i = 2; i < first_to.size(); ++i) first_to[i] += first_to[i - 1];
  std::vector<End> sends(first_to.back());
  for (Rank rank = 0; rank < ranks(); ++rank) {
    for (std::uint32_t i = first(rank); i < first(rank + 1); ++i) {
      if (operations_[i].kind() != Kind::send) continue;
      sends[first_to[operations_[i].peer + 1]++] = {static_cast<std::uint32_t>(rank), i};
    }
  }
  std::vector<End> receives;
  for (Rank rank = 0; rank < ranks(); ++rank) {
    receives.clear();
    for (std::uint32_t i = first(rank); i < first(rank + 1); ++i) {
      if (operations_[i].kind() == Kind::recv) receives.push_back({operations_[i].peer, i});
    }
    if (!std::is_sorted(receives.begin(), receives.end(), by_peer)) {
      std::stable_sort(receives.begin(), receives.end(), by_peer);
    }
    const std::size_t from = first_to[static_cast<std::size_t>(rank)];
    const std::size_t sent = first_to[static_cast<std::size_t>(rank) + 1] - from;
    for (std::size_t k = 0; k < std::max(sent, receives.size()); ++k) {
      if (k >= receives.size() || (k < sent && sends[from + k].peer < receives[k].peer)) {
        throw Error(text("rank ", sends[from + k].peer, " sends a message to rank ", rank,
                         ", which does not receive it"));
      }
      if (k >= sent || sends[from + k].peer > receives[k].peer) {
        throw Error(text("rank ", rank, " receives a message from rank ", receives[k].peer,
                         ", which does not send it"));
      }
      Operation& send = operations_[sends[from + k].operation];
      Operation& receive = operations_[receives[k].operation];
      if (send.amount != receive.amount) {
        throw Error(text("rank ", receives[k].peer, " sends ", std::uint64_t{send.amount},
                         " bytes to rank ", rank, ", which expects ",
                         std::uint64_t{receive.amount}));
      }
      send.partner = receives[k].operation;
      receive.partner = sends[from + k].operation;
    }
  }
}

}  // namespace bracket
