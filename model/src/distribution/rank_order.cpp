// SPDX-License-Identifier: MIT

#include "bracket/model/rank_order.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket {

namespace {

std::vector<Rank> ascending(Rank ranks) {
  std::vector<Rank> order(static_cast<std::size_t>(ranks));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

std::vector<Rank> make_identity(const Spec& spec, Rank ranks) {
  spec.expect_at_most(0);
  return ascending(ranks);
}

std::vector<Rank> make_reversed(const Spec& spec, Rank ranks) {
  spec.expect_at_most(0);
  auto order = ascending(ranks);
  std::reverse(order.begin(), order.end());
  return order;
}

// std::shuffle and std::uniform_int_distribution differ between standard libraries. The remainder
// favours lower numbers by less than p / 2^64.
std::vector<Rank> make_random(const Spec& spec, Rank ranks) {
  spec.expect_at_most(1);
  std::mt19937_64 random(static_cast<std::uint64_t>(spec.integer(0, "seed", 1, 0)));
  auto order = ascending(ranks);
  for (std::size_t left = order.size(); left > 1; --left) {
    std::swap(order[left - 1], order[random() % left]);
  }
  return order;
}

std::vector<Rank> make_ranks(const Spec& spec, Rank ranks) {
  std::vector<Rank> order;
  for (std::size_t k = 0; k < spec.parameters.size(); ++k) {
    const Index rank = spec.integer(k, text("rank at position ", k), 0, 0);
    if (rank >= ranks) {
      throw Error(text("'", spec.str(), "': rank ", rank, " at position ", k, " for p = ", ranks,
                       " ranks: they are 0 to ", ranks - 1));
    }
    order.push_back(static_cast<Rank>(rank));
  }
  return order;
}

constexpr RankOrderEntry rank_order_table[] = {
    {{"identity", "", "the shares go to the ranks from 0 on", "the default"}, make_identity},
    {{"reversed", "", "the shares go to the ranks from p - 1 down", "explicit"}, make_reversed},
    {{"random", "[:seed]", "shuffled by the seed (1), alike on every machine", "Fisher, Yates"},
     make_random},
    {{"ranks", ":r0:r1:...", "the rank of each share, in element order", "explicit"}, make_ranks},
};

}  // namespace

std::span<const RankOrderEntry> rank_orders() { return rank_order_table; }

std::vector<Rank> make_rank_order(std::string_view spec, Rank ranks) {
  const Spec parsed = Spec::parse(spec);
  for (const auto& row : rank_order_table) {
    if (row.entry.name == parsed.name) return row.make(parsed, ranks);
  }
  throw Error(unknown_name("rank order", parsed.name, rank_orders()));
}

}  // namespace bracket
