// SPDX-License-Identifier: MIT

#include "tune/balance.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace balance_test {

using namespace bracket;
using namespace bracket::model;

TEST_CASE("balanced shares differ from those held by the slack and the mean of it") {
  const BoundaryWindows windows(400, 4, 10);
  const auto held = Distribution::from_counts(std::vector<Index>{100, 100, 100, 100});
  // The mean is 15, and an element takes half a second.
  CHECK(balanced_places(windows, held, {0, 10, 20, 30}, 0.5, 1) ==
        std::vector<double>{0, 70, 160, 270, 400});
  CHECK(balanced_places(windows, held, {0, 10, 20, 30}, 0.5, 0.5) ==
        std::vector<double>{0, 85, 180, 285, 400});
  constexpr double none = std::numeric_limits<double>::infinity();
  CHECK(balanced_places(windows, held, {none, 10, 20, none}, 0.5, 1) ==
        std::vector<double>{0, 100, 190, 300, 400});
  CHECK(balanced_places(windows, held, {none, none, none, none}, 0.5, 1) ==
        std::vector<double>{0, 100, 200, 300, 400});
  // Slack belongs to ranks, boundaries belong to positions.
  CHECK(balanced_places(windows, held.with_rank_order({3, 2, 1, 0}), {0, 10, 20, 30}, 0.5, 1) ==
        std::vector<double>{0, 130, 240, 330, 400});
  // A share is at least zero, and no boundary leaves its window.
  CHECK(balanced_places(windows, held, {0, 1000, 1000, 1000}, 0.5, 1).at(1) == 0);
  CHECK(balanced_places({400, 4, 0.1}, held, {0, 10, 20, 30}, 0.5, 1) ==
        std::vector<double>{0, 90, 190, 290, 400});
}

TEST_CASE("boundaries go to the next point of a grid in their windows") {
  testing::property("on_grid", [] {
    const bool large = *rc::gen::arbitrary<bool>();
    const Index most = large ? std::numeric_limits<Index>::max() : 1000;
    const Index elements = most - *rc::gen::inRange<Index>(0, 900);
    const Rank ranks = *rc::gen::inRange<Rank>(1, 20);
    const BoundaryWindows windows(elements, ranks, *rc::gen::inRange(0, 20) / 8.0);
    std::vector<Rank> reversed(static_cast<std::size_t>(ranks));
    std::iota(reversed.rbegin(), reversed.rend(), 0);
    const auto held = upper_distribution(elements, ranks).with_rank_order(reversed);
    std::vector<double> slack;
    for (Rank rank = 0; rank < ranks; ++rank) slack.push_back(*rc::gen::inRange(0, 100));
    const auto places = balanced_places(windows, held, slack, 0.7, 1);
    const Index grid = Index{1} << *rc::gen::inRange(0, large ? 62 : 10);
    const auto moved = on_grid(windows, places, grid, held);
    RC_ASSERT(moved.elements() == elements);
    RC_ASSERT(moved.rank_order() == held.rank_order());
    for (Index k = 0; k <= ranks; ++k) {
      const Index place = moved.boundaries()[static_cast<std::size_t>(k)];
      RC_ASSERT(windows.lowest(k) <= place);
      RC_ASSERT(place <= windows.highest(k));
      if (large) continue;
      const double wanted = places[static_cast<std::size_t>(k)];
      // No other grid point inside the window is nearer.
      for (Index point = 0; point <= elements; point += grid) {
        if (point < windows.lowest(k) || point > windows.highest(k)) continue;
        RC_ASSERT(std::abs(static_cast<double>(place) - wanted) <=
                  std::abs(static_cast<double>(point) - wanted));
      }
    }
  });
}

}  // namespace balance_test
