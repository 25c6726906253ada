// SPDX-License-Identifier: MIT

#pragma once

#include "bracket/model/loggp.hpp"
#include "bracket/model/windows.hpp"

namespace bracket {

/// Lower bound, in seconds, on the makespan of any plan over any distribution with its boundaries
/// in `windows`, for elements of `items` numbers. It holds for LogGP (`paper_cost`) and,
/// with any placement, for LogGOPS (`replay_loggops`), which however rounds each step to a
/// picosecond.
///
/// A rank contributes only values that reach the result in time: the k-th rank that reaches it is
/// as far away as in the fastest broadcast (Karp, Sahay, Santos and Schauser 1993). The additions
/// of all elements, or the measured folds and joins, must fit into the time that all ranks have
/// before that. In a reduce-scatter every rank has a part of the result. Throws `Error` for `items`
/// < 1 and as `Machine::check` does.
double makespan_bound(const BoundaryWindows& windows, Delivery delivery, Items items,
                      const Machine& machine);

}  // namespace bracket
