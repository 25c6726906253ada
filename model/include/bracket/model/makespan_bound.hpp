#pragma once

#include "bracket/model/loggp.hpp"
#include "bracket/model/windows.hpp"

namespace bracket {

/// Seconds below which the makespan of no plan over no distribution with its boundaries in
/// `windows` is, by LogGP (`paper_cost`), or, but for the picoseconds to which each of its steps is
/// rounded, by LogGOPS (`replay_loggops`, wherever ranks are placed), for elements of `items`
/// numbers.
///
/// What a rank folds and joins counts only if the result hears of it: the k-th rank from which it
/// hears is as far from it as in the fastest broadcast (Karp, Sahay, Santos and Schauser 1993), and
/// the additions of all elements, or the folds and joins that are measured in their place, must fit
/// into the time that all ranks have before that. A reduce-scatter hears of everything everywhere.
/// Throws `Error` for `items` < 1 and as `Machine::check`.
double makespan_bound(const BoundaryWindows& windows, Delivery delivery, Index items,
                      const Machine& machine);

}  // namespace bracket
