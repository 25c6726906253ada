#pragma once

#include <algorithm>
#include <optional>

#include "bracket/model/distribution.hpp"

namespace bracket {

/// The ranks that hold elements, numbered in element order: the distribution's positions without
/// the empty ones. Each has a *family*: itself and the empty ranks behind it in the rank order (the
/// first also those before it), to whom it brings the result.
class Positions {
 public:
  explicit Positions(const Distribution& distribution) : distribution_(distribution) {}

  [[nodiscard]] Index size() const { return static_cast<Index>(occupied().size()); }

  [[nodiscard]] Rank rank(Index position) const {
    return occupied()[static_cast<std::size_t>(position)];
  }

  /// Nothing for an empty rank.
  [[nodiscard]] std::optional<Index> of(Rank rank) const {
    if (distribution_.range(rank).empty()) return std::nullopt;
    return before(rank);
  }

  /// Ranks that hold elements before the place of `rank`, which may be empty itself. O(log p).
  [[nodiscard]] Index before(Rank rank) const {
    const auto at =
        std::lower_bound(occupied().begin(), occupied().end(), rank, [&](Rank left, Rank right) {
          return distribution_.position_of(left) < distribution_.position_of(right);
        });
    return at - occupied().begin();
  }

  /// The position in whose family `rank` is.
  [[nodiscard]] Index head_of(Rank rank) const {
    const Index before_it = before(rank);
    const bool holds = !distribution_.range(rank).empty();
    return holds ? before_it : std::max<Index>(before_it - 1, 0);
  }

  /// Elements held at `positions`, which are not none.
  [[nodiscard]] Range elements(Range positions) const {
    return {distribution_.range(rank(positions.begin)).begin,
            distribution_.range(rank(positions.end - 1)).end};
  }

  /// The distribution's positions in the families of `positions`, which are not none.
  [[nodiscard]] Range families(Range positions) const {
    const auto begin = [&](Index position) { return distribution_.position_of(rank(position)); };
    return {positions.begin == 0 ? 0 : begin(positions.begin),
            positions.end == size() ? distribution_.ranks() : begin(positions.end)};
  }

 private:
  [[nodiscard]] const std::vector<Rank>& occupied() const { return distribution_.occupied(); }
  const Distribution& distribution_;
};

}  // namespace bracket
