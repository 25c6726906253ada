#pragma once

#include "bracket/model/schedule.hpp"

namespace bracket {

/// Appends what `rank` does to bring the result `[0, N)` from `holder` to where `delivery` wants
/// it: nothing, one message, or its part of a binomial broadcast.
void append_delivery(RankPart& part, const Distribution& distribution, Delivery delivery,
                     Rank holder, Rank rank);

}  // namespace bracket
