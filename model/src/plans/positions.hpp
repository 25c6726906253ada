#pragma once

#include <algorithm>
#include <optional>

#include "bracket/model/distribution.hpp"

namespace bracket {

/// The ranks that hold elements, numbered in element order.
class Positions {
 public:
  explicit Positions(const Distribution& distribution) : distribution_(distribution) {}

  [[nodiscard]] Index size() const { return static_cast<Index>(occupied().size()); }

  [[nodiscard]] Rank rank(Index position) const {
    return occupied()[static_cast<std::size_t>(position)];
  }

  /// Nothing for an empty rank.
  [[nodiscard]] std::optional<Index> of(Rank rank) const {
    const auto at = std::lower_bound(occupied().begin(), occupied().end(), rank);
    if (at == occupied().end() || *at != rank) return std::nullopt;
    return at - occupied().begin();
  }

  /// Empty ranks, numbered by rank.
  [[nodiscard]] Index empty() const { return distribution_.ranks() - size(); }

  /// Number of an empty rank.
  [[nodiscard]] Index empty_number(Rank rank) const { return rank - occupied_below(rank); }

  [[nodiscard]] Rank empty_rank(Index number) const {
    // The occupied ranks below it are those with at most `number` empty ranks before them.
    Index low = 0;
    Index high = size();
    while (low < high) {
      const Index middle = (low + high) / 2;
      if (rank(middle) - middle <= number) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return static_cast<Rank>(number + low);
  }

  /// Elements held at positions `[begin, end)`, which are not none.
  [[nodiscard]] Range elements(Index begin, Index end) const {
    return {distribution_.range(rank(begin)).begin, distribution_.range(rank(end - 1)).end};
  }

 private:
  [[nodiscard]] Index occupied_below(Rank rank) const {
    return std::lower_bound(occupied().begin(), occupied().end(), rank) - occupied().begin();
  }
  [[nodiscard]] const std::vector<Rank>& occupied() const { return distribution_.occupied(); }
  const Distribution& distribution_;
};

}  // namespace bracket
