#pragma once

#include <algorithm>
#include <optional>

#include "bracket/model/distribution.hpp"

namespace bracket {

/// The ranks that hold elements, numbered in element order. Each has a *family*: itself and the
/// empty ranks behind it (the first also those before it), to whom it brings the result.
class Positions {
 public:
  explicit Positions(const Distribution& distribution) : distribution_(distribution) {}

  [[nodiscard]] Index size() const { return static_cast<Index>(occupied().size()); }

  [[nodiscard]] Rank rank(Index position) const {
    return occupied()[static_cast<std::size_t>(position)];
  }

  /// Nothing for an empty rank.
  [[nodiscard]] std::optional<Index> of(Rank rank) const {
    const Index head = head_of(rank);
    return this->rank(head) == rank ? std::optional(head) : std::nullopt;
  }

  /// The position in whose family `rank` is.
  [[nodiscard]] Index head_of(Rank rank) const {
    const auto above = std::upper_bound(occupied().begin(), occupied().end(), rank);
    return std::max<Index>(above - occupied().begin() - 1, 0);
  }

  /// Elements held at `positions`, which are not none.
  [[nodiscard]] Range elements(Range positions) const {
    return {distribution_.range(rank(positions.begin)).begin,
            distribution_.range(rank(positions.end - 1)).end};
  }

  /// The ranks in the families of `positions`, which are not none.
  [[nodiscard]] Range families(Range positions) const {
    return {positions.begin == 0 ? 0 : rank(positions.begin),
            positions.end == size() ? distribution_.ranks() : rank(positions.end)};
  }

 private:
  [[nodiscard]] const std::vector<Rank>& occupied() const { return distribution_.occupied(); }
  const Distribution& distribution_;
};

}  // namespace bracket
