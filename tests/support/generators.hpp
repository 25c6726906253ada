// SPDX-License-Identifier: MIT

#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "bracket/model/distribution.hpp"
#include "bracket/model/schedule.hpp"

namespace bracket::testing {

/// A random distribution of 1 … `most_elements` elements over 1 … `most_ranks` ranks. Empty ranks
/// are frequent, and half of the distributions have a random permutation of ranks.
inline rc::Gen<Distribution> any_distribution(Index most_elements, Rank most_ranks) {
  return rc::gen::exec([=] {
    const Index elements = *rc::gen::inRange<Index>(1, most_elements + 1);
    const Rank ranks = *rc::gen::inRange<Rank>(1, most_ranks + 1);
    auto boundaries = *rc::gen::container<std::vector<Index>>(
        static_cast<std::size_t>(ranks) + 1, rc::gen::inRange<Index>(0, elements + 1));
    std::sort(boundaries.begin(), boundaries.end());
    boundaries.front() = 0;
    boundaries.back() = elements;
    auto distribution = Distribution::from_boundaries(std::move(boundaries));
    if (!*rc::gen::arbitrary<bool>()) return distribution;
    const auto keys = *rc::gen::container<std::vector<int>>(static_cast<std::size_t>(ranks),
                                                            rc::gen::arbitrary<int>());
    std::vector<Rank> order(keys.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](Rank a, Rank b) {
      return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)];
    });
    return distribution.with_rank_order(std::move(order));
  });
}

/// A reduce to `root`, an all-reduce or a reduce-scatter.
inline rc::Gen<Delivery> any_delivery(Rank root = 0) {
  return rc::gen::map(
      rc::gen::element(Collective::reduce, Collective::all_reduce, Collective::reduce_scatter),
      [=](Collective collective) {
        return Delivery{root, collective};
      });
}

}  // namespace bracket::testing

namespace rc {

/// Prints a counterexample.
inline void showValue(const bracket::Distribution& distribution, std::ostream& out) {
  out << "boundaries";
  for (const auto boundary : distribution.boundaries()) out << ' ' << boundary;
  if (!distribution.rank_order().empty()) out << ", held by ranks";
  for (const auto rank : distribution.rank_order()) out << ' ' << rank;
}

inline void showValue(const bracket::Delivery& delivery, std::ostream& out) {
  out << name_of(delivery.collective) << " to " << delivery.root;
}

}  // namespace rc
