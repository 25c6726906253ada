// SPDX-License-Identifier: MIT

#pragma once

#include <vector>

#include "bracket/model/windows.hpp"

namespace bracket::model {

/// Unrounded boundaries, inside the windows, that would give the folds of every rank the same slack
/// if only the folds changed. `slack` is the slack from `paper_cost`, in seconds, for each rank of
/// `held`; an element takes `seconds_per_element` > 0 seconds. `part`, from 0 to 1, is the fraction
/// of the way to move. A rank without folds keeps its share.
std::vector<double> balanced_places(const BoundaryWindows& windows, const Distribution& held,
                                    const std::vector<double>& slack, double seconds_per_element,
                                    double part);

/// Boundaries at the multiples of `grid` nearest to `places`. If a window contains none, the
/// boundary is the window's end. Uses the rank order of `held`.
Distribution on_grid(const BoundaryWindows& windows, const std::vector<double>& places, Index grid,
                     const Distribution& held);

}  // namespace bracket::model
