#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "bracket/model/range.hpp"
#include "bracket/model/spec.hpp"

namespace bracket {

/// Who holds what: rank i holds the elements `[boundaries[i], boundaries[i+1])`. Ranks may be
/// empty. The boundaries are the thesis's start indices (equations 3.2 and 3.3), closed by N.
class Distribution {
 public:
  /// From p + 1 non-decreasing boundaries, the first 0, the last N ≥ 1. Throws `Error`.
  static Distribution from_boundaries(std::vector<Index> boundaries);

  /// From the element count of each rank. Throws `Error` for a negative count or an empty sum.
  static Distribution from_counts(std::span<const Index> counts);

  [[nodiscard]] Index elements() const { return boundaries_.back(); }
  [[nodiscard]] Rank ranks() const { return static_cast<Rank>(boundaries_.size() - 1); }
  [[nodiscard]] Range range(Rank rank) const {
    const auto i = static_cast<std::size_t>(rank);
    return {boundaries_[i], boundaries_[i + 1]};
  }
  [[nodiscard]] const std::vector<Index>& boundaries() const { return boundaries_; }

  /// Rank that holds element x (equation 3.4). O(log p).
  [[nodiscard]] Rank owner(Index x) const;

  /// Largest number of elements on one rank.
  [[nodiscard]] Index largest_share() const;

  /// Ranks that hold at least one element, ascending.
  [[nodiscard]] const std::vector<Rank>& occupied() const { return occupied_; }

  friend bool operator==(const Distribution&, const Distribution&) = default;

 private:
  explicit Distribution(std::vector<Index> boundaries);
  std::vector<Index> boundaries_;
  std::vector<Rank> occupied_;  // follows from the boundaries; plans ask for it once a rank
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
