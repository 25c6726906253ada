#pragma once

#include <vector>

#include "bracket/model/windows.hpp"

namespace bracket {

/// Boundaries, not rounded, by which the folds of every rank would have the same slack if nothing
/// but the folds changed: `slack` is what `paper_cost` says, in seconds, of each rank of `held`,
/// and an element takes `seconds_per_element` > 0. Of the way there only `part` is gone, 0 to 1.
/// In the windows; a rank without folds keeps its share.
std::vector<double> balanced_places(const BoundaryWindows& windows, const Distribution& held,
                                    const std::vector<double>& slack, double seconds_per_element,
                                    double part);

/// The boundaries at the multiples of `grid` that are next to `places`, or at the end of its window
/// where there is none inside. In the rank order of `held`.
Distribution on_grid(const BoundaryWindows& windows, const std::vector<double>& places, Index grid,
                     const Distribution& held);

}  // namespace bracket
