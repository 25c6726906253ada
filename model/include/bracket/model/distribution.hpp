#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "bracket/model/range.hpp"
#include "bracket/model/spec.hpp"

namespace bracket {

/// Assignment of elements to ranks. Boundaries cut the elements into p *positions* in element
/// order: position k is `[boundaries[k], boundaries[k+1])`, which may be empty. The *rank order*
/// says which rank holds which position; by default, rank k holds position k. The boundaries are
/// the thesis's start indices (equations 3.2 and 3.3), closed by N.
class Distribution {
 public:
  /// From p + 1 non-decreasing boundaries, the first 0, the last N ≥ 1. Throws `Error`.
  static Distribution from_boundaries(std::vector<Index> boundaries);

  /// From the element count of each position. Throws `Error` for a negative count or an empty sum.
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
  std::vector<Rank> rank_order_;  // by position; empty for the identity: equal ones are alike
  // Derived from the two above, since plans ask for it once for each rank.
  std::vector<Rank> positions_;  // by rank; empty for the identity
  std::vector<Rank> occupied_;
};

/// N mod p remaining elements to the lowest ranks, one each (equation 1.3).
Distribution lower_distribution(Index elements, Rank ranks);

/// N mod p remaining elements to the highest ranks, one each (equation 1.4, read as "a for the
/// first p − (N mod p) ranks").
Distribution upper_distribution(Index elements, Rank ranks);

/// Largest power of two within N / p for all ranks but the last, which takes the rest
/// (equation 3.8; with N < p all elements are the last rank's).
Distribution power2_distribution(Index elements, Rank ranks);

/// Each boundary of the upper distribution moved down to the parent, and on to its parent,
/// while it stays within `alpha` · N / p of where it was (Algorithm 3, whose line 5 must
/// advance from the proposed index). `alpha` ≥ 0 and finite.
Distribution optimized_distribution(Index elements, Rank ranks, double alpha);

/// A row of the table of distributions.
struct DistributionEntry {
  CatalogueEntry entry;
  Distribution (*make)(const Spec& spec, Index elements, Rank ranks);
};

/// Every distribution that is made from N and p by name.
std::span<const DistributionEntry> distributions();

/// The distribution written `spec` of `elements` elements over `ranks` ranks. Throws `Error`
/// for an unknown name, bad parameters, counts that do not add up, N < 1 or p < 1.
Distribution make_distribution(std::string_view spec, Index elements, Rank ranks);

}  // namespace bracket
