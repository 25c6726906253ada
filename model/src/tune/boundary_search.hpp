// SPDX-License-Identifier: MIT

#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <random>
#include <vector>

#include "bracket/model/windows.hpp"

namespace bracket::model {

/// A local search among distributions by their cost.
class BoundarySearch {
 public:
  using Cost = std::function<double(const Distribution&)>;

  /// `start` lies in the windows and costs `seconds`. The seed determines the search.
  BoundarySearch(const BoundaryWindows& windows, const Distribution& start, double seconds,
                 std::uint64_t seed);

  /// Proposes a distribution near the best for weighing, on the assumption that all unanswered
  /// proposals cost more. Empty if there is none.
  std::optional<Distribution> propose();

  /// Takes the cost of the oldest proposal, in seconds. Unless it costs more than the best, the
  /// proposal replaces the best. The later proposals are then void, and the function returns true.
  bool answer(double seconds);

  /// Proposes one distribution and answers it. Returns false if there is none.
  bool step(const Cost& cost);

  /// Makes half of the moves from now on begin at one of these positions, if there are any.
  void prefer(std::vector<Index> positions) { preferred_ = std::move(positions); }

  [[nodiscard]] Distribution best() const { return distribution(boundaries_); }
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  [[nodiscard]] Distribution distribution(const std::vector<Index>& boundaries) const;
  Index below(Index count);
  Index any_position();
  bool move_boundary(std::vector<Index>& boundaries);
  bool move_elements(std::vector<Index>& boundaries);

  BoundaryWindows windows_;
  std::vector<Index> boundaries_;
  std::vector<Rank> rank_order_;
  std::vector<Index> preferred_;
  double seconds_;
  std::mt19937_64 random_;
  struct Proposal {
    std::vector<Index> boundaries;
    std::mt19937_64 random;  // state after the draws for this proposal
  };
  std::deque<Proposal> proposals_;  // unanswered
};

}  // namespace bracket::model
