// SPDX-License-Identifier: MIT

#pragma once

#include "bracket/model/ranked_order.hpp"
#include "bracket/viz/picture.hpp"

namespace bracket {

/// Most ranks in `additions_picture`.
inline constexpr Rank most_ranks_of_additions = 256;

/// The additions of a sum with one operand on each rank: the ranks at the bottom, the result at the
/// top, and each addition above both operands. Lines and words have the colour of the text around
/// the picture. Throws `Error` for more than `most_ranks_of_additions` ranks.
Picture additions_picture(const RankedOrder& order);

}  // namespace bracket
