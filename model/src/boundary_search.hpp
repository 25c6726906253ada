#pragma once

#include <cstdint>
#include <functional>
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

  /// Weighs one distribution near the best, which it replaces unless it costs more. False if there
  /// was none to weigh.
  bool step(const Cost& cost);

  /// From now on half of the moves begin at one of these positions, if there are any.
  void prefer(std::vector<Index> positions) { preferred_ = std::move(positions); }

  [[nodiscard]] Distribution best() const;
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
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
};

}  // namespace bracket
