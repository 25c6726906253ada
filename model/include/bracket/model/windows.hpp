// SPDX-License-Identifier: MIT

#pragma once

#include <cstdint>

#include "bracket/model/distribution.hpp"

namespace bracket {

/// Directions in which boundaries may move.
enum class Moves : std::uint8_t { both_ways, downwards };

/// Throws `Error` if `alpha`, the largest move of a boundary in shares, is negative or not finite.
void check_alpha(double alpha);

/// Limits on the inner boundaries of a distribution: within `alpha` · N / p of the boundaries of
/// the upper distribution (thesis, section 3.1.2.4). Neither the lowest nor the highest places of
/// successive boundaries decrease.
class BoundaryWindows {
 public:
  /// Throws `Error` for N < 1, p < 1 or an `alpha` that is negative or not finite.
  BoundaryWindows(Index elements, Rank ranks, double alpha, Moves moves = Moves::both_ways);

  [[nodiscard]] Index elements() const { return elements_; }
  [[nodiscard]] Rank ranks() const { return ranks_; }

  /// The upper distribution's boundary, 0 ≤ k ≤ p.
  [[nodiscard]] Index fair(Index k) const {
    return k * share_ + (k > first_larger_ ? k - first_larger_ : 0);
  }
  [[nodiscard]] Index lowest(Index k) const {
    const Index at = fair(k);
    if (k == ranks_) return at;
    return at < reach_ ? 0 : at - reach_;
  }
  [[nodiscard]] Index highest(Index k) const {
    const Index at = fair(k);
    if (k == 0 || downwards_) return at;
    return elements_ - at < reach_ ? elements_ : at + reach_;
  }

  /// Lower bound on the largest share of any distribution: ⌈N / p⌉.
  [[nodiscard]] Index least_largest_share() const { return share_ + (elements_ % ranks_ != 0); }

  /// Upper bound on the largest share of a distribution with its boundaries in the windows.
  [[nodiscard]] Index most_largest_share() const;

 private:
  Index elements_;
  Rank ranks_;
  bool downwards_;
  Index share_;
  Index first_larger_;  // boundary from which on shares are larger by one
  Index reach_;         // of a boundary, in elements
};

}  // namespace bracket
