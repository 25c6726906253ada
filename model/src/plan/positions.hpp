// SPDX-License-Identifier: MIT

#pragma once

#include <algorithm>
#include <optional>
#include <span>

#include "bracket/model/plan.hpp"

namespace bracket::model {

/// The participants, numbered in element order: the distribution's positions without those that
/// take no part. Participants are the ranks that hold elements unless the problem names more. Each
/// has a *family*, to which it brings the result: itself and the non-participants that follow it in
/// the rank order. The first participant's family includes those that precede it.
class Positions {
 public:
  explicit Positions(const Problem& problem)
      : distribution_(problem.distribution),
        ranks_(problem.participants.empty() ? problem.distribution.occupied()
                                            : problem.participants) {}

  [[nodiscard]] Index size() const { return static_cast<Index>(ranks_.size()); }

  [[nodiscard]] Rank rank(Index position) const {
    return ranks_[static_cast<std::size_t>(position)];
  }

  /// The position of `rank`. Empty if it does not participate.
  [[nodiscard]] std::optional<Index> of(Rank rank) const {
    const Index before_it = before(rank);
    if (before_it == size() || this->rank(before_it) != rank) return std::nullopt;
    return before_it;
  }

  /// Number of participants before the place of `rank`, which need not participate. O(log p) at
  /// most.
  [[nodiscard]] Index before(Rank rank) const {
    if (size() == distribution_.ranks()) return distribution_.position_of(rank);  // all take part
    const auto at =
        std::lower_bound(ranks_.begin(), ranks_.end(), rank, [&](Rank left, Rank right) {
          return distribution_.position_of(left) < distribution_.position_of(right);
        });
    return at - ranks_.begin();
  }

  /// The position whose family contains `rank`.
  [[nodiscard]] Index head_of(Rank rank) const {
    return of(rank).value_or(std::max<Index>(before(rank) - 1, 0));
  }

  /// Elements held at `positions`, which must not be empty.
  [[nodiscard]] Range elements(Range positions) const {
    return {distribution_.range(rank(positions.begin)).begin,
            distribution_.range(rank(positions.end - 1)).end};
  }

  /// The distribution's positions in the families of `positions`, which must not be empty.
  [[nodiscard]] Range families(Range positions) const {
    const auto begin = [&](Index position) { return distribution_.position_of(rank(position)); };
    return {positions.begin == 0 ? 0 : begin(positions.begin),
            positions.end == size() ? distribution_.ranks() : begin(positions.end)};
  }

 private:
  const Distribution& distribution_;
  std::span<const Rank> ranks_;
};

}  // namespace bracket::model
