// SPDX-License-Identifier: MIT

#include "tune/balance.hpp"

#include <algorithm>
#include <cmath>

namespace bracket::model {

std::vector<double> balanced_places(const BoundaryWindows& windows, const Distribution& held,
                                    const std::vector<double>& slack, double seconds_per_element,
                                    double part) {
  double sum = 0;
  double folding = 0;  // ranks
  for (const double seconds : slack) {
    if (!std::isfinite(seconds)) continue;
    sum += seconds;
    ++folding;
  }
  const double mean = folding > 0 ? sum / folding : 0;
  const auto ranks = static_cast<std::size_t>(held.ranks());
  std::vector<double> places(ranks + 1, 0);
  for (std::size_t k = 0; k < ranks; ++k) {
    const Rank rank = held.rank_at(static_cast<Index>(k));
    const double seconds = slack[static_cast<std::size_t>(rank)];
    double share = static_cast<double>(held.range(rank).size());
    if (std::isfinite(seconds)) share += part * (seconds - mean) / seconds_per_element;
    places[k + 1] = places[k] + std::max(0.0, share);
  }
  const double all = places.back();
  const auto elements = static_cast<double>(windows.elements());
  for (std::size_t k = 0; k <= ranks; ++k) {
    const double place = all > 0 ? places[k] / all * elements : 0;
    const auto boundary = static_cast<Index>(k);
    places[k] = std::clamp(place, static_cast<double>(windows.lowest(boundary)),
                           static_cast<double>(windows.highest(boundary)));
  }
  return places;
}

Distribution on_grid(const BoundaryWindows& windows, const std::vector<double>& places, Index grid,
                     const Distribution& held) {
  std::vector<Index> boundaries;
  boundaries.reserve(places.size());
  for (std::size_t k = 0; k < places.size(); ++k) {
    const auto boundary = static_cast<Index>(k);
    const auto cell = static_cast<double>(grid);
    const double next = std::floor(places[k] / cell + 0.5) * cell;
    const Index highest = windows.highest(boundary);
    // Only values below `highest` are certain to fit an integer.
    boundaries.push_back(next < static_cast<double>(highest)
                             ? std::max(static_cast<Index>(next), windows.lowest(boundary))
                             : highest);
  }
  auto distribution = Distribution::from_boundaries(std::move(boundaries));
  return held.rank_order().empty() ? distribution : distribution.with_rank_order(held.rank_order());
}

}  // namespace bracket::model
