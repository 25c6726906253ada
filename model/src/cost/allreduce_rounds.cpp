// SPDX-License-Identifier: MIT

#include "bracket/model/allreduce_rounds.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket {

namespace {

Index share(Index items, Index among) { return (items + among - 1) / among; }

/// Whether the data that the ranks of a node hold and receive exceed the node's last cache.
bool leaves_caches(const std::vector<Round>& rounds, Index items, const Machine& machine) {
  if (!machine.work) return false;
  auto numbers = static_cast<double>(items);
  for (const Round& round : rounds) {
    numbers += static_cast<double>(round.items) * static_cast<double>(round.count);
  }
  return numbers * static_cast<double>(machine.value_bytes) *
             static_cast<double>(machine.work->ranks_of_node()) >
         machine.cache_bytes;
}

}  // namespace

std::optional<AllreduceAlgorithm> allreduce_algorithm(std::string_view name) {
  if (name == "recursive-doubling") return AllreduceAlgorithm::recursive_doubling;
  if (name == "rabenseifner") return AllreduceAlgorithm::rabenseifner;
  if (name == "ring") return AllreduceAlgorithm::ring;
  return {};
}

std::vector<Round> allreduce_rounds(AllreduceAlgorithm algorithm, Rank ranks, Index items) {
  if (ranks < 1) throw Error(text("an all-reduce on ", ranks, " ranks: at least 1 was expected"));
  if (items < 1) throw Error(text("an all-reduce of ", items, " items: at least 1 was expected"));
  std::vector<Round> rounds;
  if (ranks == 1) return rounds;
  if (algorithm == AllreduceAlgorithm::ring) {
    const Index own = share(items, ranks);
    return {{own, own, ranks - 1}, {own, 0, ranks - 1}};
  }
  const auto active = static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(ranks)));
  const bool excess = active < ranks;
  if (excess) rounds.push_back({items, items});
  if (algorithm == AllreduceAlgorithm::recursive_doubling) {
    if (active > 1)
      rounds.push_back({items, items, std::countr_zero(static_cast<std::uint64_t>(active))});
  } else {
    for (Index groups = 2; groups <= active; groups *= 2) {
      rounds.push_back({share(items, groups), share(items, groups)});
    }
    for (Index groups = active; groups >= 2; groups /= 2) {
      rounds.push_back({share(items, groups), 0});
    }
  }
  if (excess) rounds.push_back({items, 0});
  return rounds;
}

double seconds_of(const std::vector<Round>& rounds, Index items, Rank ranks,
                  const Machine& machine) {
  const bool cold = leaves_caches(rounds, items, machine);
  const MessageCosts costs =
      cold ? machine.out_of_cache().between_nodes() : machine.between_nodes();
  double seconds = machine.start(ranks, Collective::all_reduce, static_cast<double>(items));
  for (const Round& round : rounds) {
    const auto combined = static_cast<double>(round.combined);
    const double bytes = machine.message_bytes(round.items);
    const double combining = machine.work ? machine.work->join(combined, items)
                                          : combined * machine.seconds_per_addition;
    const double way = costs.way(bytes) + costs.exchange_delay(bytes);
    seconds += static_cast<double>(round.count) * (way + combining);
  }
  return seconds;
}

}  // namespace bracket
