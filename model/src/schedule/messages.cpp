// SPDX-License-Identifier: MIT

#include "bracket/model/messages.hpp"

#include <bit>

#include "bracket/model/tree.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket {

Index outbound_count(Range held) {
  if (held.begin == 0 || held.empty()) return 0;
  // x is an outbound root iff x is in [s, e) and parent(x) < s. Each such x is s - 1 with one
  // zero bit i set and all lower bits cleared; it lies below e iff i <= h.
  const auto before = static_cast<std::uint64_t>(held.begin - 1);
  const auto last = static_cast<std::uint64_t>(held.end - 1);
  const int low_bits = std::bit_width(before ^ last);  // h + 1
  const std::uint64_t mask = (std::uint64_t{1} << low_bits) - 1;
  return low_bits - std::popcount(before & mask);
}

Index outbound_count(Range held, Index chunk) {
  if (held.begin == 0 || held.empty() || chunk == 1) return outbound_count(held);
  // The continuation of an earlier chunk is one message; the rest is a tree over whole chunks.
  const auto chunks_before = [&](Index x) { return x / chunk + (x % chunk != 0); };
  const Index first = chunks_before(held.begin);
  return (held.begin % chunk != 0) + outbound_count({first, chunks_before(held.end)});
}

Index outbound_count(const Order& order, Range held) {
  if (order.explicit_tree() != nullptr) return static_cast<Index>(order.outbound(held).size());
  return outbound_count(held, order.chunk_size());
}

Index message_count(const Distribution& distribution) {
  Index count = 0;
  for (Rank rank = 0; rank < distribution.ranks(); ++rank) {
    count += outbound_count(distribution.range(rank));
  }
  return count;
}

Index message_count_by_walk(const Distribution& distribution) {
  const auto elements = distribution.elements();
  Index count = 0;
  for (Rank rank = 0; rank < distribution.ranks(); ++rank) {
    const Range held = distribution.range(rank);
    if (held.begin == 0) continue;
    for (Index x = held.begin; x < held.end; x = tree::highest_node(x, elements).end) ++count;
  }
  return count;
}

Index message_count(const Order& order, const Distribution& distribution) {
  if (!order.fixed()) {
    throw Error(text("the ", order.spec(), " order has no fixed bracketing, so no PE-intersecting ",
                     "nodes to count"));
  }
  Index count = 0;
  for (Rank rank = 0; rank < distribution.ranks(); ++rank) {
    count += outbound_count(order, distribution.range(rank));
  }
  return count;
}

double score(const Distribution& distribution, const ScoreCosts& costs) {
  return score(distribution, message_count(distribution), costs);
}

double score(const Distribution& distribution, Index messages, const ScoreCosts& costs) {
  return costs.send_seconds * static_cast<double>(messages) +
         costs.add_seconds * static_cast<double>(distribution.largest_share());
}

}  // namespace bracket
