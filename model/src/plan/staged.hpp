// SPDX-License-Identifier: MIT

#pragma once

#include <span>

#include "plan/exchange.hpp"

namespace bracket::model {

/// Merges in stages. Radix r merges r neighbouring groups, by a swap for r = 2 and by a ring for
/// larger r. The `radices` leave an odd number of groups. One 3-2 and pairs of 2-1 eliminations
/// reduce them to the next lower power of two, which swaps then merge (Rabenseifner and Träff 2004,
/// sections 3.3 and 3.6). The product of the radices must divide the number of positions.
void merge_in_stages(Exchange& exchange, std::span<const Index> radices);

}  // namespace bracket::model
