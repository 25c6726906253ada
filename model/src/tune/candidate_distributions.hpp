// SPDX-License-Identifier: MIT

#pragma once

#include <functional>
#include <string>

#include "bracket/model/tune.hpp"
#include "bracket/model/windows.hpp"

namespace bracket::model {

/// Makes the distributions that a tuning evaluates before it searches. They have the rank order of
/// the request.
class CandidateDistributions {
 public:
  /// Keeps references to both.
  CandidateDistributions(const TuneRequest& request, const BoundaryWindows& windows)
      : request_(request), windows_(windows) {}

  /// Algorithm 3's distribution, with the request's `alpha`.
  [[nodiscard]] NamedDistribution algorithm_3() const;

  /// A distribution by a name for `make_distribution`.
  [[nodiscard]] NamedDistribution by_name(const std::string& name) const;

  /// Distribution with the lowest score if a message cost 1 / `divisor` as much. Calls `progress`
  /// during the search for it.
  NamedDistribution of_lowest_score(const Order& order, int divisor,
                                    const std::function<void()>& progress);

  /// Lowest proven bound of the distributions from `of_lowest_score`. See `TuneResult`.
  [[nodiscard]] double bound_seconds() const { return bound_seconds_; }

 private:
  [[nodiscard]] Distribution in_rank_order(Distribution distribution) const;
  [[nodiscard]] Rank first_rank() const;

  const TuneRequest& request_;
  const BoundaryWindows& windows_;
  double bound_seconds_ = 0;
};

}  // namespace bracket::model
