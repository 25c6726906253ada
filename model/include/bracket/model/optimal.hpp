// SPDX-License-Identifier: MIT

#pragma once

#include <functional>
#include <vector>

#include "bracket/model/messages.hpp"
#include "bracket/model/windows.hpp"

namespace bracket {

/// Default limit on the states that a search examines: about half a minute.
constexpr Index default_state_budget = Index{1} << 27;

/// A distribution and its proven bound.
struct OptimalDistribution {
  Distribution distribution;
  Index messages = 0;
  double score_seconds = 0;
  double bound_seconds = 0;  ///< no distribution with boundaries in the windows has a lower score

  /// Whether the distribution is proven optimal, up to the rounding of doubles.
  [[nodiscard]] bool proven() const { return bound_seconds >= score_seconds; }
};

/// Receives the progress of a search: the best score and the proven bound, in seconds.
using SearchProgress = std::function<void(double best_seconds, double bound_seconds)>;

/// The distribution with the lowest score (equation 3.7) among those whose boundaries lie in the
/// windows. The order must fix the bracketing, and the result is wanted on the first position: if
/// that position is empty, there is one message more than `message_count` has.
///
/// For a given largest share M, the fewest messages are found from the last boundary to the first.
/// The next boundary e fixes the lowest place l of a boundary, and only the outbound subtree roots
/// of [l, e) are candidates: moving a boundary down to its parent (Algorithm 3) adds no message, so
/// some optimal solution has all boundaries where their parents are out of reach. A state is a
/// boundary with its number of messages; only non-dominated states remain, since a lower boundary
/// is better for all boundaries before it. M is found by branch and bound: a smaller M never gives
/// fewer messages.
///
/// O(p · states · log(N / p)) for each M. There are few states, about a dozen, unless M is next to
/// the fair share. Too many states are rounded, once up and once down; then, and if `budget`, in
/// states, is spent, the result is proven only up to `bound_seconds`. The same arguments give the
/// same result. Throws `Error` for an order without a fixed bracketing or over another number of
/// elements, and for costs that make no finite score.
OptimalDistribution optimal_distribution(const Order& order, const BoundaryWindows& windows,
                                         const ScoreCosts& costs = {},
                                         Index budget = default_state_budget,
                                         const SearchProgress& progress = {});

/// A non-dominated pair: neither the messages nor the largest share can be reduced without
/// increasing the other.
struct FrontPoint {
  Index messages = 0;
  Index largest_share = 0;

  friend bool operator==(const FrontPoint&, const FrontPoint&) = default;
};

struct ParetoFront {
  std::vector<FrontPoint> points;  ///< by largest share, ascending
  bool complete = false;           ///< whether there are no others
};

/// The Pareto front of the direct plan's messages, as above, and the largest share, over all
/// distributions whose boundaries lie in the windows. If `budget` is too small, or there are too
/// many states for an exact number of messages, points are missing; the others are right. Throws
/// `Error` as `optimal_distribution` does.
ParetoFront pareto_front(const Order& order, const BoundaryWindows& windows,
                         Index budget = default_state_budget,
                         const std::function<void(Index points)>& progress = {});

}  // namespace bracket
