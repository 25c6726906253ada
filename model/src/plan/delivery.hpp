#pragma once

#include "bracket/model/plan.hpp"

namespace bracket {

/// The items of the result that the ranks at `positions` of the distribution, which are not none,
/// are to be brought together. Of a reduce-scatter these are the blocks of the same numbers, which
/// `append_delivery` then swaps where a rank's number is another than its position's.
Range wanted_items(const Problem& problem, Range positions);

/// Appends what `rank` does to bring the result `[0, N)` from `holder` to whom it is due of the
/// ranks at `positions` of the distribution: one message to the root, or its part of a tree in
/// which the holder sends half of the others theirs through one of them, and so on. Comes last in
/// a part.
void append_delivery(RankPart& part, const Problem& problem, Range positions, Rank holder,
                     Rank rank);

/// Among all ranks.
void append_delivery(RankPart& part, const Problem& problem, Rank holder, Rank rank);

}  // namespace bracket
