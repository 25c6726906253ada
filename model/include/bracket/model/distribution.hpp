// SPDX-License-Identifier: MIT

#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "bracket/model/range.hpp"
#include "bracket/model/spec.hpp"

namespace bracket {

/// Assignment of elements to ranks. Boundaries cut the elements into p *positions* in element
/// order: position k is `[boundaries[k], boundaries[k+1])`, which may be empty. The *rank order*, a
/// permutation of ranks, says which rank holds which position; by default, rank k holds position k.
/// The boundaries are the thesis's start indices (equations 3.2 and 3.3), followed by N.
class Distribution {
 public:
  /// Makes a distribution from p + 1 boundaries. Throws `Error` unless they do not decrease, the
  /// first is 0, and the last is N ≥ 1.
  static Distribution from_boundaries(std::vector<Index> boundaries);

  /// Makes a distribution from the element count of each position. Throws `Error` for a negative
  /// count, and unless there is an element.
  static Distribution from_counts(std::span<const Index> counts);

  /// A distribution with these boundaries, in which rank `ranks[k]` holds position k. Throws
  /// `Error` unless `ranks` is a permutation of 0 … p − 1.
  [[nodiscard]] Distribution with_rank_order(std::vector<Rank> ranks) const;

  [[nodiscard]] Index elements() const { return boundaries_.back(); }
  [[nodiscard]] Rank ranks() const { return static_cast<Rank>(boundaries_.size() - 1); }

  /// Elements that a rank holds.
  [[nodiscard]] Range range(Rank rank) const {
    const auto k = static_cast<std::size_t>(position_of(rank));
    return {boundaries_[k], boundaries_[k + 1]};
  }
  [[nodiscard]] const std::vector<Index>& boundaries() const { return boundaries_; }

  /// Rank that holds a position, 0 … p − 1.
  [[nodiscard]] Rank rank_at(Index position) const {
    return rank_order_.empty() ? static_cast<Rank>(position)
                               : rank_order_[static_cast<std::size_t>(position)];
  }

  /// Position that a rank holds.
  [[nodiscard]] Index position_of(Rank rank) const {
    return positions_.empty() ? rank : positions_[static_cast<std::size_t>(rank)];
  }

  /// Rank at each position; empty where rank k holds position k for every k.
  [[nodiscard]] const std::vector<Rank>& rank_order() const { return rank_order_; }

  /// Rank that holds element x (equation 3.4). O(log p).
  [[nodiscard]] Rank owner(Index x) const;

  /// Largest number of elements on one rank.
  [[nodiscard]] Index largest_share() const;

  /// Ranks that hold at least one element, in element order.
  [[nodiscard]] const std::vector<Rank>& occupied() const { return occupied_; }

  friend bool operator==(const Distribution&, const Distribution&) = default;

 private:
  explicit Distribution(std::vector<Index> boundaries, std::vector<Rank> rank_order = {});
  std::vector<Index> boundaries_;
  std::vector<Rank> rank_order_;  // by position; empty for the identity, so that == compares it
  // Derived from the two above, since plans ask for them once for each rank.
  std::vector<Rank> positions_;  // by rank; empty for the identity
  std::vector<Rank> occupied_;
};

/// Equal shares; each of the N mod p lowest ranks has one more element (equation 1.3).
Distribution lower_distribution(Index elements, Rank ranks);

/// Equal shares; each of the N mod p highest ranks has one more element (equation 1.4, read as "a
/// for the first p − (N mod p) ranks").
Distribution upper_distribution(Index elements, Rank ranks);

/// The largest power of two within N / p for all ranks but the last, which has the rest (equation
/// 3.8). With N < p, the last rank has all elements.
Distribution power2_distribution(Index elements, Rank ranks);

/// The upper distribution with each boundary moved down to its parent, and on to the parent of
/// that, while it stays within `alpha` · N / p of its place (Algorithm 3, whose line 5 must advance
/// from the proposed index). `alpha` ≥ 0 and finite.
Distribution optimized_distribution(Index elements, Rank ranks, double alpha);

/// The lower distribution with each boundary, in ascending sequence, moved down to its parent, and
/// on to the parent of that, while the share below it has between (1 - `alpha`) · N / p and
/// (1 + `alpha`) · N / p elements. This is the rule behind the thesis's table 3.3 and figures 3.4
/// and 3.5, which its author published (stelzch/allreduce, jupyter/optimal_tree.ipynb). A share can
/// have more elements, because a boundary whose share is already outside does not move. `alpha` ≥ 0
/// and finite.
Distribution optimized_shares_distribution(Index elements, Rank ranks, double alpha);

/// A row of the table of distributions.
struct DistributionEntry {
  CatalogueEntry entry;
  Distribution (*make)(const Spec& spec, Index elements, Rank ranks);
};

/// Every distribution that has a name and is made from N and p.
std::span<const DistributionEntry> distributions();

/// The distribution of `elements` elements over `ranks` ranks that `spec` describes. Throws `Error`
/// for an unknown name, bad parameters, counts whose sum is not N, N < 1 or p < 1.
Distribution make_distribution(std::string_view spec, Index elements, Rank ranks);

}  // namespace bracket
