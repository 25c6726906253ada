#pragma once

#include <functional>
#include <vector>

#include "bracket/model/messages.hpp"
#include "bracket/model/windows.hpp"

namespace bracket {

/// Default limit on the states that a search examines: about half a minute.
constexpr Index default_state_budget = Index{1} << 27;

/// A distribution and how good it is proven to be.
struct OptimalDistribution {
  Distribution distribution;
  Index messages = 0;
  double score_seconds = 0;
  double bound_seconds = 0;  ///< no distribution with boundaries in the windows has a lower score

  /// Whether no other distribution has a lower score, up to the rounding of doubles.
  [[nodiscard]] bool proven() const { return bound_seconds >= score_seconds; }
};

/// How far a search is: the best score and the proven bound, in seconds.
using SearchProgress = std::function<void(double best_seconds, double bound_seconds)>;

/// The distribution of the lowest score (equation 3.7) whose boundaries lie in the windows, of an
/// order that has one bracketing, where the result is wanted on the first position: if that holds
/// nothing there is one message more than `message_count` has.
///
/// For a largest share M the fewest messages are found from the last boundary to the first. Given
/// the next boundary e and so the lowest place l that this one may take, only the outbound subtree
/// roots of [l, e) need to be looked at: moving a boundary down to its parent (Algorithm 3) adds
/// messages nowhere, so that some solution has all boundaries where their parents are out of reach.
/// Of the places looked at those remain which fewer messages behind them pay for: a lower boundary
/// suits all before it better. M is then narrowed down by branch and bound: fewer messages cannot
/// be had with a smaller M.
///
/// O(p · states · log(N / p)) for each M; states are few, a dozen, unless M is next to the fair
/// share. Where there are too many, they are rounded, once up and once down, and the result is
/// proven only up to `bound_seconds`, as it is where `budget`, in states, is spent. The same for
/// the same arguments. Throws `Error` for an order without one bracketing or over another number
/// of elements, and for costs that make no finite score.
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

/// The Pareto front of the direct plan's messages, as above, and the largest share over all
/// distributions whose boundaries lie in the windows. Where `budget` does not suffice for all of
/// it, or there are too many states for an exact number of messages, points are missing, but none
/// is wrong. Throws `Error` as `optimal_distribution`.
ParetoFront pareto_front(const Order& order, const BoundaryWindows& windows,
                         Index budget = default_state_budget,
                         const std::function<void(Index points)>& progress = {});

}  // namespace bracket
