#pragma once

#include <span>

#include "plan/exchange.hpp"

namespace bracket {

/// Merges in stages: radix r merges r neighbouring groups, by a swap for r = 2 and a ring above.
/// What is left after the `radices`, an odd number of groups, is reduced by one 3-2 and pairs of
/// 2-1 eliminations to the power of two below it and goes on by swaps (Rabenseifner and Träff 2004,
/// sections 3.3 and 3.6). The product of the radices must divide the number of positions.
void merge_in_stages(Exchange& exchange, std::span<const Index> radices);

}  // namespace bracket
