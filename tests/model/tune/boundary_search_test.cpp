// SPDX-License-Identifier: MIT

#include "tune/boundary_search.hpp"

#include <deque>
#include <optional>

#include "bracket/model/messages.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

namespace boundary_search_test {

using namespace bracket;
using namespace bracket::model;

TEST_CASE("a search stays in the windows and never goes up") {
  testing::property("BoundarySearch", [] {
    const Index elements = *rc::gen::inRange<Index>(1, 500);
    const Rank ranks = *rc::gen::inRange<Rank>(1, 12);
    const BoundaryWindows windows(elements, ranks, *rc::gen::inRange(0, 12) / 8.0,
                                  *rc::gen::element(Moves::both_ways, Moves::downwards));
    auto start = upper_distribution(elements, ranks);
    std::vector<Rank> reversed;
    for (Rank rank = ranks; rank-- > 0;) reversed.push_back(rank);
    start = start.with_rank_order(reversed);
    const auto cost = [](const Distribution& held) {
      return static_cast<double>(message_count(held));
    };
    BoundarySearch search(windows, start, cost(start), *rc::gen::arbitrary<std::uint64_t>());
    double last = cost(start);
    for (int i = 0; i < 50; ++i) {
      Index weighed = 0;
      const bool stepped = search.step([&](const Distribution& held) {
        ++weighed;
        for (Index k = 0; k <= ranks; ++k) {
          const Index place = held.boundaries()[static_cast<std::size_t>(k)];
          RC_ASSERT(windows.lowest(k) <= place && place <= windows.highest(k));
        }
        RC_ASSERT(held.rank_order() == start.rank_order());
        return cost(held);
      });
      RC_ASSERT(weighed == (stepped ? 1 : 0));
      RC_ASSERT(search.seconds() <= last);
      RC_ASSERT(search.seconds() == cost(search.best()));
      last = search.seconds();
    }
  });
}

TEST_CASE("what is proposed ahead leads to where single steps lead") {
  testing::property("proposals", [] {
    const Index elements = *rc::gen::inRange<Index>(1, 500);
    const Rank ranks = *rc::gen::inRange<Rank>(1, 12);
    const BoundaryWindows windows(elements, ranks, *rc::gen::inRange(0, 12) / 8.0);
    const auto start = upper_distribution(elements, ranks);
    const auto cost = [](const Distribution& held) {
      return static_cast<double>(message_count(held));
    };
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    BoundarySearch alone(windows, start, cost(start), seed);
    BoundarySearch ahead(windows, start, cost(start), seed);
    std::deque<Distribution> proposed;
    bool any_left = true;
    for (int i = 0; i < 50; ++i) {
      const auto most = *rc::gen::inRange<std::size_t>(1, 6);
      while (any_left && proposed.size() < most) {
        const auto next = ahead.propose();
        any_left = next.has_value();
        if (next) proposed.push_back(*next);
      }
      std::optional<Distribution> weighed;
      const bool stepped = alone.step([&](const Distribution& held) {
        weighed = held;
        return cost(held);
      });
      RC_ASSERT(stepped == !proposed.empty());
      if (!stepped) break;
      RC_ASSERT(proposed.front() == *weighed);
      const double seconds = cost(proposed.front());
      proposed.pop_front();
      if (ahead.answer(seconds)) {
        proposed.clear();
        any_left = true;
      }
      RC_ASSERT(ahead.best() == alone.best());
      RC_ASSERT(ahead.seconds() == alone.seconds());
    }
  });
}

TEST_CASE("a search finds what one move away is better") {
  // Fair shares at the start; the cost falls with rank 0's share down to the end of its window.
  const BoundaryWindows windows(64, 4, 0.5);
  const auto cost = [](const Distribution& held) {
    return static_cast<double>(held.range(0).size());
  };
  const auto start = upper_distribution(64, 4);
  BoundarySearch search(windows, start, cost(start), 1);
  for (int i = 0; i < 400; ++i) search.step(cost);
  CHECK(search.seconds() == 8);
}

TEST_CASE("a search moves the boundaries of the positions it is to prefer more often") {
  constexpr Rank ranks = 100;
  const BoundaryWindows windows(100 * ranks, ranks, 0.5);
  const auto start = upper_distribution(100 * ranks, ranks);
  // No distribution is better than the start, so each move begins there.
  const auto cost = [&](const Distribution& held) { return held == start ? 0.0 : 1.0; };
  BoundarySearch search(windows, start, 0, 1);
  search.prefer({50});
  int moved = 0;
  for (int i = 0; i < 400; ++i) {
    search.step([&](const Distribution& held) {
      if (held.range(50) != start.range(50)) ++moved;
      return cost(held);
    });
  }
  CHECK(moved > 150);
  CHECK(moved < 400);
}

}  // namespace boundary_search_test
