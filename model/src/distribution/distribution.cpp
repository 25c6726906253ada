// SPDX-License-Identifier: MIT

#include "bracket/model/distribution.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "bracket/model/optimal.hpp"
#include "bracket/model/tree.hpp"
#include "bracket/model/windows.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket {

Distribution::Distribution(std::vector<Index> boundaries, std::vector<Rank> rank_order)
    : boundaries_(std::move(boundaries)), rank_order_(std::move(rank_order)) {
  positions_.resize(rank_order_.size());
  for (std::size_t k = 0; k < rank_order_.size(); ++k) {
    positions_[static_cast<std::size_t>(rank_order_[k])] = static_cast<Rank>(k);
  }
  for (std::size_t k = 0; k + 1 < boundaries_.size(); ++k) {
    if (boundaries_[k] < boundaries_[k + 1]) {
      occupied_.push_back(rank_at(static_cast<Index>(k)));
    }
  }
}

Distribution Distribution::from_boundaries(std::vector<Index> boundaries) {
  if (boundaries.size() < 2)
    throw Error("a distribution needs p >= 1 ranks, that is p + 1 boundaries");
  if (boundaries.size() - 1 > static_cast<std::size_t>(std::numeric_limits<Rank>::max())) {
    throw Error(text("a distribution over ", boundaries.size() - 1, " ranks: at most ",
                     std::numeric_limits<Rank>::max(), " are possible"));
  }
  if (boundaries.front() != 0) {
    throw Error(text("a distribution's first boundary must be 0, not ", boundaries.front()));
  }
  const auto drop = std::is_sorted_until(boundaries.begin(), boundaries.end());
  if (drop != boundaries.end()) {
    const auto at = drop - boundaries.begin();
    throw Error(text("a distribution's boundaries must not decrease: boundary ", at, " is ", *drop,
                     " after ", *(drop - 1)));
  }
  if (boundaries.back() < 1) throw Error("a distribution needs N >= 1 elements, not 0");
  return Distribution(std::move(boundaries));
}

Distribution Distribution::from_counts(std::span<const Index> counts) {
  std::vector<Index> boundaries{0};
  boundaries.reserve(counts.size() + 1);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] < 0) {
      throw Error(
          text("a distribution's counts must not be negative: position ", i, " has ", counts[i]));
    }
    if (counts[i] > std::numeric_limits<Index>::max() - boundaries.back()) {
      throw Error(text("a distribution's counts exceed 2^63 - 1 at position ", i));
    }
    boundaries.push_back(boundaries.back() + counts[i]);
  }
  return from_boundaries(std::move(boundaries));
}

Distribution Distribution::with_rank_order(std::vector<Rank> ranks) const {
  const auto p = static_cast<std::size_t>(this->ranks());
  const auto refuse = [&](const std::string& what) {
    throw Error(text("a rank order names each of the ranks 0 to ", p - 1, " once, ", what));
  };
  if (ranks.size() != p) refuse(text("not ", ranks.size(), " ranks"));
  std::vector<std::size_t> seen(p, p);
  for (std::size_t k = 0; k < p; ++k) {
    if (ranks[k] < 0 || ranks[k] >= this->ranks()) {
      refuse(text("not rank ", ranks[k], ", which is at position ", k));
    }
    auto& first = seen[static_cast<std::size_t>(ranks[k])];
    if (first != p) refuse(text("not rank ", ranks[k], " at positions ", first, " and ", k));
    first = k;
  }
  if (std::is_sorted(ranks.begin(), ranks.end())) ranks.clear();
  return Distribution(boundaries_, std::move(ranks));
}

Rank Distribution::owner(Index x) const {
  const auto above = std::upper_bound(boundaries_.begin(), boundaries_.end(), x);
  return rank_at(above - boundaries_.begin() - 1);
}

Index Distribution::largest_share() const {
  Index largest = 0;
  for (std::size_t i = 1; i < boundaries_.size(); ++i) {
    largest = std::max(largest, boundaries_[i] - boundaries_[i - 1]);
  }
  return largest;
}

namespace {

void check_size(Index elements, Index ranks) {
  if (elements < 1) throw Error(text("N must be at least 1 element, not ", elements));
  if (ranks < 1) throw Error(text("p must be at least 1 rank, not ", ranks));
}

template <class BoundaryOf>
Distribution from_formula(Rank ranks, BoundaryOf boundary_of) {
  std::vector<Index> boundaries(static_cast<std::size_t>(ranks) + 1);
  for (std::size_t i = 0; i < boundaries.size(); ++i) {
    boundaries[i] = boundary_of(static_cast<Index>(i));
  }
  return Distribution::from_boundaries(std::move(boundaries));
}

}  // namespace

Distribution lower_distribution(Index elements, Rank ranks) {
  check_size(elements, ranks);
  return from_formula(
      ranks, [=](Index i) { return i == ranks ? elements : block(elements, i, ranks).begin; });
}

Distribution upper_distribution(Index elements, Rank ranks) {
  check_size(elements, ranks);
  const Index share = elements / ranks;
  const Index first_larger = ranks - elements % ranks;
  return from_formula(ranks,
                      [=](Index i) { return i * share + std::max<Index>(i - first_larger, 0); });
}

Distribution power2_distribution(Index elements, Rank ranks) {
  check_size(elements, ranks);
  const auto share =
      static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(elements / ranks)));
  return from_formula(ranks, [=](Index i) { return i == ranks ? elements : i * share; });
}

Distribution optimized_distribution(Index elements, Rank ranks, double alpha) {
  const BoundaryWindows windows(elements, ranks, alpha, Moves::downwards);
  // Boundaries stay in order. If a boundary moves below the start of its left neighbour, it moves
  // to a truncation of that start as well. The neighbour then moves at least as far.
  return from_formula(ranks, [&](Index i) {
    Index moved = windows.fair(i);
    while (moved > 0 && tree::parent(moved) >= windows.lowest(i)) moved = tree::parent(moved);
    return moved;
  });
}

Distribution optimized_shares_distribution(Index elements, Rank ranks, double alpha) {
  check_alpha(alpha);
  const Distribution even = lower_distribution(elements, ranks);
  const double fair = static_cast<double>(elements) / static_cast<double>(ranks);
  Index below = 0;
  return from_formula(ranks, [&](Index i) {
    Index moved = even.boundaries()[static_cast<std::size_t>(i)];
    if (i == 0 || i == ranks) return moved;
    for (Index next = moved; next > below; next = tree::parent(next)) {
      const double share = static_cast<double>(next - below);
      if (share < (1 - alpha) * fair || share > (1 + alpha) * fair) break;
      moved = next;
    }
    return below = moved;
  });
}

namespace {

constexpr double default_alpha = 0.2;  // the thesis's example, section 3.1.2.4

Distribution make_lower(const Spec& spec, Index elements, Rank ranks) {
  spec.expect_at_most(0);
  return lower_distribution(elements, ranks);
}

Distribution make_upper(const Spec& spec, Index elements, Rank ranks) {
  spec.expect_at_most(0);
  return upper_distribution(elements, ranks);
}

Distribution make_power2(const Spec& spec, Index elements, Rank ranks) {
  spec.expect_at_most(0);
  return power2_distribution(elements, ranks);
}

Distribution make_optimized(const Spec& spec, Index elements, Rank ranks) {
  spec.expect_at_most(1);
  return optimized_distribution(elements, ranks, spec.number(0, "alpha", default_alpha));
}

Distribution make_optimized_shares(const Spec& spec, Index elements, Rank ranks) {
  spec.expect_at_most(1);
  return optimized_shares_distribution(elements, ranks, spec.number(0, "alpha", default_alpha));
}

Distribution make_optimal(const Spec& spec, Index elements, Rank ranks) {
  spec.expect_at_most(2);
  Moves moves = Moves::both_ways;
  if (spec.parameters.size() == 2) {
    if (spec.parameters[1] != "down") {
      throw Error(text("'", spec.str(), "': 'down' or nothing was expected after alpha, not '",
                       spec.parameters[1], "'"));
    }
    moves = Moves::downwards;
  }
  const double alpha = spec.number(0, "alpha", default_alpha);
  return optimal_distribution(make_order("tree", elements), {elements, ranks, alpha, moves})
      .distribution;
}

Distribution make_counts(const Spec& spec, Index elements, Rank ranks) {
  std::vector<Index> counts;
  for (std::size_t i = 0; i < spec.parameters.size(); ++i) {
    counts.push_back(spec.integer(i, text("count of position ", i), 0, 0));
  }
  if (counts.size() != static_cast<std::size_t>(ranks)) {
    throw Error(text("'", spec.str(), "': ", counts.size(), " counts for p = ", ranks, " ranks"));
  }
  Distribution distribution = Distribution::from_counts(counts);
  if (distribution.elements() != elements) {
    throw Error(text("'", spec.str(), "': the counts add up to ", distribution.elements(),
                     ", not to N = ", elements));
  }
  return distribution;
}

constexpr DistributionEntry distribution_table[] = {
    {{"lower", "", "N / p each, the rest to the lower ranks", "thesis, equation 1.3"}, make_lower},
    {{"upper", "", "N / p each, the rest to the upper ranks", "thesis, equation 1.4"}, make_upper},
    {{"power2", "", "a power of two each, the rest to the last rank", "thesis, equation 3.8"},
     make_power2},
    {{"optimized", "[:alpha]", "upper, boundaries moved down by up to alpha * N / p (0.2)",
      "thesis, Algorithm 3"},
     make_optimized},
    {{"optimized-shares", "[:alpha]",
      "lower, boundaries moved down while the share below stays within alpha of N / p (0.2)",
      "thesis, table 3.3, by its author's program"},
     make_optimized_shares},
    {{"optimal", "[:alpha[:down]]",
      "lowest score with boundaries within alpha * N / p of upper's (0.2); down: not above them",
      "thesis, equation 3.7, minimised"},
     make_optimal},
    {{"counts", ":n0:n1:...", "the element counts, in element order", "explicit"}, make_counts},
};

}  // namespace

std::span<const DistributionEntry> distributions() { return distribution_table; }

Distribution make_distribution(std::string_view spec, Index elements, Rank ranks) {
  const Spec parsed = Spec::parse(spec);
  for (const auto& row : distribution_table) {
    if (row.entry.name == parsed.name) {
      check_size(elements, ranks);
      return row.make(parsed, elements, ranks);
    }
  }
  throw Error(unknown_name("distribution", parsed.name, distributions()));
}

}  // namespace bracket
