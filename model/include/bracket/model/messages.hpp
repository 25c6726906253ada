// SPDX-License-Identifier: MIT

#pragma once

#include "bracket/model/distribution.hpp"
#include "bracket/model/order.hpp"

namespace bracket {

/// Number of outbound subtree roots of a rank that holds `[s, e)`, in O(1): the zero bits of s − 1
/// in positions 0 … h, where h is the highest bit in which s − 1 and e − 1 differ. 0 for s = 0 and
/// for an empty range.
Index outbound_count(Range held);

/// Number of outbound subtree roots of a rank that holds `held`, for the tree over chunks of
/// `chunk` elements. All elements that continue an earlier chunk count as one.
Index outbound_count(Range held, Index chunk);

/// Number of outbound subtree roots of a rank that holds `held`, for an order with a fixed
/// bracketing.
Index outbound_count(const Order& order, Range held);

/// Number of PE-intersecting nodes of the tree order, in O(p): the messages that the direct plan
/// sends if the result is wanted only on the rank that holds element 0.
Index message_count(const Distribution& distribution);

/// `message_count`, found by walking every outbound subtree root (thesis, Algorithm 2).
Index message_count_by_walk(const Distribution& distribution);

/// Number of messages that the direct plan sends by any order with a fixed bracketing, as above.
/// Single elements that go to one rank together are one message. Throws `Error` for an order
/// without a fixed bracketing.
Index message_count(const Order& order, const Distribution& distribution);

/// Costs of one message and one addition, in seconds. The defaults were measured in the thesis
/// (section 3.1.2).
struct ScoreCosts {
  double send_seconds = 281e-9;
  double add_seconds = 4.15e-9;
};

/// t_send · messages + t_add · largest share, in seconds (equation 3.7).
double score(const Distribution& distribution, Index messages, const ScoreCosts& costs = {});

/// The score with the messages of the tree order.
double score(const Distribution& distribution, const ScoreCosts& costs = {});

}  // namespace bracket
