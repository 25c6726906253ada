// SPDX-License-Identifier: MIT

#pragma once

#include "bracket/model/plan.hpp"

namespace bracket::model {

/// Items of the result that are delivered to the ranks at `positions` of the distribution;
/// `positions` must not be empty. For a reduce-scatter these are the blocks with the numbers of the
/// positions. `append_delivery` then swaps blocks where a rank's number differs from its position.
Range wanted_items(const Problem& problem, Range positions);

/// Appends the steps of `rank` that bring the result `[0, N)` from `holder` to its receivers among
/// the ranks at `positions` of the distribution. The steps are one message to the root, or the
/// rank's part of a tree: the holder sends one message to one rank of the other half, which serves
/// that half, and so on. Call this last: no other step may follow in the part.
void append_delivery(RankPart& part, const Problem& problem, Range positions, Rank holder,
                     Rank rank);

/// Appends the delivery among all ranks.
void append_delivery(RankPart& part, const Problem& problem, Rank holder, Rank rank);

}  // namespace bracket::model
