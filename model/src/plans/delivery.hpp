#pragma once

#include "bracket/model/plan.hpp"

namespace bracket {

/// The items of the result that the ranks of a not empty range are to end with, together.
Range wanted_items(const Problem& problem, Range ranks);

/// Appends what `rank` does to bring the result `[0, N)` from `holder` to whom of the ranks `among`
/// it is due: one message to the root, or its part of a tree in which the holder sends half of
/// the others theirs through one of them, and so on.
void append_delivery(RankPart& part, const Problem& problem, Range among, Rank holder, Rank rank);

/// Among all ranks.
void append_delivery(RankPart& part, const Problem& problem, Rank holder, Rank rank);

}  // namespace bracket
