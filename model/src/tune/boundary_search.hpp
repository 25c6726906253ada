#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <random>
#include <vector>

#include "bracket/model/windows.hpp"

namespace bracket {

/// A search among distributions near one, by what they cost.
class BoundarySearch {
 public:
  using Cost = std::function<double(const Distribution&)>;

  /// `start` lies in the windows and costs `seconds`. The same seed, the same search.
  BoundarySearch(const BoundaryWindows& windows, const Distribution& start, double seconds,
                 std::uint64_t seed);

  /// A distribution near the best, to be weighed: the next one, should those that were proposed
  /// before and not answered cost more. Nothing if there is none.
  std::optional<Distribution> propose();

  /// What the oldest proposal costs. It replaces the best unless it costs more; then those proposed
  /// after it are void, and true is returned.
  bool answer(double seconds);

  /// Proposes one and answers it. False if there was none.
  bool step(const Cost& cost);

  /// From now on half of the moves begin at one of these positions, if there are any.
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
    std::mt19937_64 random;  // after it was drawn
  };
  std::deque<Proposal> proposals_;  // not answered
};

}  // namespace bracket
