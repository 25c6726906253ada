// SPDX-License-Identifier: MIT

#include "bracket/simulator/workload.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bracket/model/matching.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "loggops/ordered_blocks.hpp"

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

/// Seconds of a rank before its first step and after its last one.
struct Ends {
  double start = 0;
  double end = 0;
};

/// The ends of a rank of a `Schedule` or a `Problem`.
template <class Of>
Ends ends_of(const Machine& machine, const Of& of, Rank rank) {
  const Index held = of.distribution.range(rank).size();
  const Rank ranks = of.distribution.ranks();
  return {machine.start(ranks, of.delivery.collective,
                        static_cast<double>(held) * static_cast<double>(of.items)),
          machine.end(of.delivery.wanted(rank, ranks, of.items).size())};
}

}  // namespace

/// Operations of consecutive ranks.
struct Workload::Block {
  std::vector<Operation> operations;
  std::vector<std::size_t> ends;  // behind the operations of each rank, in `operations`

  void add(Kind kind, Rank peer, std::uint64_t amount) {
    operations.push_back(
        {amount, static_cast<std::uint64_t>(kind), 0, 0, static_cast<std::uint32_t>(peer), 0});
  }
};

/// Makes the operations of one rank after the other. Several threads may do so at once.
class Workload::Maker {
 public:
  /// Keeps references to its arguments. `of` is a `Schedule` or a `Problem`.
  template <class Of>
  Maker(const Of& of, const Machine& machine, const Disturbance& disturbance,
        std::span<const std::uint32_t> nodes)
      : machine_(machine),
        disturbance_(disturbance),
        ranks_(of.distribution.ranks()),
        work_(machine, of.distribution, of.items, of.delivery, nodes) {}

  /// Appends the operations of `rank`. A rank without steps has no start and no end.
  void append(Rank rank, const RankPart& part, const Ends& ends, Block& block) {
    const RankWork seconds_of = work_.of(rank, part);
    const bool disturbed = disturbance_.any();
    double before = disturbed ? disturbance_.lateness(rank) : 0;
    double seconds = part.steps().empty() ? 0 : ends.start;
    std::uint64_t interval = 0;
    const auto end_computing = [&] {
      if (disturbed) seconds = before + disturbance_.computing(rank, interval++, seconds);
      if (const Ticks ticks = ticks_of(seconds, "the computing time of a rank"); ticks > 0)
        block.add(Kind::compute, rank, ticks);
      before = 0;
      seconds = 0;
    };
    for (const Step& step : part.steps()) {
      seconds += seconds_of(step);
      if (step.kind != StepKind::send && step.kind != StepKind::recv) continue;
      end_computing();
      const bool sends = step.kind == StepKind::send;
      if (step.peer < 0 || step.peer >= ranks_ || step.peer == rank) {
        throw Error(text("rank ", rank, (sends ? " sends to " : " receives from "), step.peer,
                         ", which is not another one of the ", ranks_, " ranks"));
      }
      const double bytes = machine_.message_bytes(part.values(step));
      if (!(bytes >= 1 && bytes <= static_cast<double>(largest))) {
        throw Error(text("rank ", rank, ": a message of ", bytes, " bytes"));
      }
      block.add(sends ? Kind::send : Kind::recv, step.peer, static_cast<std::uint64_t>(bytes));
    }
    if (!part.steps().empty()) seconds += ends.end;
    end_computing();
    block.ends.push_back(block.operations.size());
  }

  [[nodiscard]] bool leaves_caches() const { return work_.leaves_caches(); }

 private:
  const Machine& machine_;
  const Disturbance& disturbance_;
  Rank ranks_;
  Work work_;
};

template <class Of, class PartOf>
void Workload::make(const Of& of, PartOf&& part_of, const Machine& machine,
                    const Disturbance& disturbance, std::span<const std::uint32_t> nodes,
                    int threads) {
  // Large enough that threads rarely wait for each other, and small beside all operations.
  constexpr std::size_t ranks_of_block = 1024;
  const auto ranks = static_cast<std::size_t>(of.distribution.ranks());
  first_.reserve(ranks + 1);
  Maker maker(of, machine, disturbance, nodes);
  simulator::OrderedBlocks((ranks + ranks_of_block - 1) / ranks_of_block,
                           [&](std::size_t number) {
                             Block block;
                             const std::size_t end = std::min(ranks, (number + 1) * ranks_of_block);
                             for (std::size_t at = number * ranks_of_block; at < end; ++at) {
                               const auto rank = static_cast<Rank>(at);
                               maker.append(rank, part_of(rank), ends_of(machine, of, rank), block);
                             }
                             return block;
                           },
                           [&](const Block& block) { append(block, ranks); })
      .run(threads);
  leaves_caches_ = maker.leaves_caches();
  match();
}

Workload::Workload(const Schedule& schedule, const Machine& machine, const Disturbance& disturbance,
                   std::span<const std::uint32_t> nodes) {
  machine.check();
  const auto part_of = [&](Rank rank) -> const RankPart& {
    return schedule.parts[static_cast<std::size_t>(rank)];
  };
  make(schedule, part_of, machine, disturbance, nodes, 1);
}

Workload::Workload(const Problem& problem, const Plan& plan, const Machine& machine,
                   const Disturbance& disturbance, std::span<const std::uint32_t> nodes,
                   int threads) {
  machine.check();
  check_scheduled(plan);
  check_fit(problem, plan);
  make(
      problem, [&](Rank rank) { return plan.part(problem, rank); }, machine, disturbance, nodes,
      threads);
}

void Workload::append(const Block& block, std::size_t ranks) {
  constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
  const std::size_t before = operations_.size();
  if (block.operations.size() > most - before) throw Error(text("more than ", most, " operations"));
  const std::size_t needed = before + block.operations.size();
  if (needed > operations_.capacity()) {
    // As many as there will be if the other ranks have as many each. To double the room time and
    // again would copy all operations twice. The first ranks may have more than others.
    const std::size_t made = first_.size() - 1 + block.ends.size();
    const double expected =
        static_cast<double>(needed) / static_cast<double>(made) * static_cast<double>(ranks);
    const double room =
        std::min({expected * 1.02, 8.0 * static_cast<double>(needed), static_cast<double>(most)});
    operations_.reserve(
        std::max({static_cast<std::size_t>(room), needed, operations_.capacity() / 4 * 5}));
  }
  operations_.insert(operations_.end(), block.operations.begin(), block.operations.end());
  for (const std::size_t end : block.ends) {
    first_.push_back(static_cast<std::uint32_t>(before + end));
  }
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
