// SPDX-License-Identifier: MIT

#include "tune/boundary_search.hpp"

#include <algorithm>
#include <bit>

namespace bracket::model {

BoundarySearch::BoundarySearch(const BoundaryWindows& windows, const Distribution& start,
                               double seconds, std::uint64_t seed)
    : windows_(windows),
      boundaries_(start.boundaries()),
      rank_order_(start.rank_order()),
      seconds_(seconds),
      random_(seed) {}

Distribution BoundarySearch::distribution(const std::vector<Index>& boundaries) const {
  auto distribution = Distribution::from_boundaries(boundaries);
  return rank_order_.empty() ? distribution : distribution.with_rank_order(rank_order_);
}

std::optional<Distribution> BoundarySearch::propose() {
  std::vector<Index> moved = boundaries_;
  // A move may have no effect where another has one.
  constexpr int tries = 64;
  for (int i = 0; i < tries; ++i) {
    if (below(2) == 0 ? move_boundary(moved) : move_elements(moved)) {
      proposals_.push_back({std::move(moved), random_});
      return distribution(proposals_.back().boundaries);
    }
  }
  return {};
}

bool BoundarySearch::answer(double seconds) {
  Proposal proposal = std::move(proposals_.front());
  proposals_.pop_front();
  if (seconds > seconds_) return false;
  seconds_ = seconds;
  boundaries_ = std::move(proposal.boundaries);
  random_ = proposal.random;
  proposals_.clear();
  return true;
}

bool BoundarySearch::step(const Cost& cost) {
  const auto proposed = propose();
  if (!proposed) return false;
  answer(cost(*proposed));
  return true;
}

/// A random number from 0 to `count` − 1. Distributions of the standard library differ between
/// implementations.
Index BoundarySearch::below(Index count) {
  return static_cast<Index>(random_() % static_cast<std::uint64_t>(count));
}

Index BoundarySearch::any_position() {
  if (preferred_.empty() || below(2) == 0) return below(windows_.ranks());
  return preferred_[static_cast<std::size_t>(below(static_cast<Index>(preferred_.size())))];
}

/// Moves one boundary to a multiple of a power of two between its neighbours.
bool BoundarySearch::move_boundary(std::vector<Index>& boundaries) {
  const Index ranks = windows_.ranks();
  if (ranks < 2) return false;
  const Index k = any_position() + below(2);
  if (k == 0 || k == ranks) return false;
  Index& place = boundaries[static_cast<std::size_t>(k)];
  const Index lowest = std::max(windows_.lowest(k), (&place)[-1]);
  const Index highest = std::min(windows_.highest(k), (&place)[1]);
  if (lowest == highest) return false;
  const int levels = std::bit_width(static_cast<std::uint64_t>(highest - lowest));
  const Index step = Index{1} << below(levels);
  const Index first = (lowest + step - 1) / step;
  const Index last = highest / step;
  if (first > last) return false;
  const Index moved = (first + below(last - first + 1)) * step;
  if (moved == place) return false;
  place = moved;
  return true;
}

/// Moves a power of two of elements from one rank to another, by all boundaries between them.
bool BoundarySearch::move_elements(std::vector<Index>& boundaries) {
  const Index ranks = windows_.ranks();
  if (ranks < 2) return false;
  const Index one = any_position();
  const Index other = below(ranks);
  const Index first = std::min(one, other) + 1;
  const Index last = std::max(one, other);
  const Index share = std::max<Index>(1, windows_.elements() / ranks);
  const Index count = Index{1} << below(std::bit_width(static_cast<std::uint64_t>(share)));
  const Index moved = below(2) == 0 ? count : -count;
  const auto at = [&](Index k) -> Index& { return boundaries[static_cast<std::size_t>(k)]; };
  if (first > last) return false;
  for (Index k = first; k <= last; ++k) {
    const Index place = at(k) + moved;
    if (place < windows_.lowest(k) || place > windows_.highest(k)) return false;
  }
  if (at(first) + moved < at(first - 1) || at(last) + moved > at(last + 1)) return false;
  for (Index k = first; k <= last; ++k) at(k) += moved;
  return true;
}

}  // namespace bracket::model
