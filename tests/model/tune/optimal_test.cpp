// SPDX-License-Identifier: MIT

#include "bracket/model/optimal.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>

#include "bracket/model/plan.hpp"
#include "bracket/support/error.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"
#include "tune/fewest_messages.hpp"

namespace optimal_test {

using namespace bracket;
using namespace bracket::model;

namespace {

struct Setting {
  Index elements;
  Rank ranks;
  double alpha;
  Moves moves;
  std::string order;

  [[nodiscard]] BoundaryWindows windows() const { return {elements, ranks, alpha, moves}; }
};

Setting any_setting(Index most_elements, Rank most_ranks, int most_eighths) {
  return {*rc::gen::inRange<Index>(1, most_elements + 1),
          *rc::gen::inRange<Rank>(1, most_ranks + 1), *rc::gen::inRange(0, most_eighths + 1) / 8.0,
          *rc::gen::element(Moves::both_ways, Moves::downwards),
          *rc::gen::element<std::string>("tree", "tree", "chunked-tree:3", "chunked-tree:4",
                                         "chunked-tree:64", "sequential")};
}

/// Calls `use` with every distribution whose boundaries lie in the windows.
void for_each(const BoundaryWindows& windows, const std::function<void(const Distribution&)>& use) {
  std::vector<Index> boundaries(static_cast<std::size_t>(windows.ranks()) + 1);
  boundaries.back() = windows.elements();
  const std::function<void(std::size_t)> choose = [&](std::size_t k) {
    if (k + 1 == boundaries.size()) {
      if (boundaries[k - 1] <= boundaries[k]) use(Distribution::from_boundaries(boundaries));
      return;
    }
    const auto position = static_cast<Index>(k);
    const Index lowest = std::max(boundaries[k - 1], windows.lowest(position));
    for (Index place = lowest; place <= windows.highest(position); ++place) {
      boundaries[k] = place;
      choose(k + 1);
    }
  };
  choose(1);
}

/// Number of messages of the direct plan to the first position, counted by a walk over the roots.
Index walked(const Order& order, const Distribution& distribution) {
  Index count = distribution.range(0).empty() ? 1 : 0;
  for (Rank rank = 0; rank < distribution.ranks(); ++rank) {
    count += static_cast<Index>(order.outbound(distribution.range(rank)).size());
  }
  return count;
}

/// Fewest messages for each largest share that occurs.
std::map<Index, Index> fewest_by_share(const Order& order, const BoundaryWindows& windows) {
  std::map<Index, Index> fewest;
  for_each(windows, [&](const Distribution& distribution) {
    const Index messages = walked(order, distribution);
    const auto [at, is_new] = fewest.try_emplace(distribution.largest_share(), messages);
    if (!is_new) at->second = std::min(at->second, messages);
  });
  return fewest;
}

void check_inside(const Distribution& distribution, const BoundaryWindows& windows) {
  for (Index k = 0; k <= windows.ranks(); ++k) {
    const Index place = distribution.boundaries()[static_cast<std::size_t>(k)];
    RC_ASSERT(windows.lowest(k) <= place);
    RC_ASSERT(place <= windows.highest(k));
  }
}

}  // namespace

TEST_CASE("the lowest scores of the thesis's example") {
  struct Row {
    double alpha;
    Moves moves;
    Index messages;
    double microseconds;
  };
  const auto order = make_order("tree", 504850);
  for (const auto& [alpha, moves, messages, microseconds] :
       {Row{0.2, Moves::both_ways, 430, 129.404}, Row{0.5, Moves::both_ways, 255, 80.154},
        Row{0.2, Moves::downwards, 557, 165.091}}) {
    CAPTURE(alpha);
    const auto found = optimal_distribution(order, {504850, 256, alpha, moves});
    CHECK(found.proven());
    CHECK(found.messages == messages);
    CHECK(found.messages == message_count_by_walk(found.distribution));
    CHECK(found.score_seconds * 1e6 == Catch::Approx(microseconds).margin(0.001));
  }
}

TEST_CASE("the distribution of the lowest score by name") {
  const auto order = make_order("tree", 504850);
  const auto both = optimal_distribution(order, {504850, 256, 0.5}).distribution;
  CHECK(make_distribution("optimal:0.5", 504850, 256) == both);
  CHECK(make_distribution("optimal", 504850, 256) == make_distribution("optimal:0.2", 504850, 256));
  const auto down = optimal_distribution(order, {504850, 256, 0.2, Moves::downwards}).distribution;
  CHECK(make_distribution("optimal:0.2:down", 504850, 256) == down);
  CHECK_THROWS_WITH(make_distribution("optimal:0.2:up", 504850, 256), Catch::Contains("'up'"));
  CHECK_THROWS_WITH(make_distribution("optimal:x", 504850, 256), Catch::Contains("alpha"));
}

TEST_CASE("no distribution in the windows has a lower score") {
  testing::property("optimal_distribution against all distributions", [] {
    const Setting setting = any_setting(20, 5, 24);
    const auto order = make_order(setting.order, setting.elements);
    const auto windows = setting.windows();
    const ScoreCosts costs{1e-9 * *rc::gen::inRange(0, 6), 1e-9 * *rc::gen::inRange(0, 6)};
    double best = std::numeric_limits<double>::infinity();
    for (const auto& [share, messages] : fewest_by_share(order, windows)) {
      best = std::min(best, costs.send_seconds * static_cast<double>(messages) +
                                costs.add_seconds * static_cast<double>(share));
    }
    const auto found = optimal_distribution(order, windows, costs);
    RC_ASSERT(found.proven());
    RC_ASSERT(found.score_seconds == best);
    RC_ASSERT(found.messages == walked(order, found.distribution));
    RC_ASSERT(found.score_seconds == score(found.distribution, found.messages, costs));
    check_inside(found.distribution, windows);
    // The plan sends as many messages.
    const Problem problem{order, found.distribution, {}, 1};
    RC_ASSERT(count_messages(problem, *make_plan("direct")) == found.messages);
  });
}

TEST_CASE("the Pareto front of all distributions in the windows") {
  testing::property("pareto_front against all distributions", [] {
    const Setting setting = any_setting(20, 5, 24);
    const auto order = make_order(setting.order, setting.elements);
    std::vector<FrontPoint> expected;
    for (const auto& [share, messages] : fewest_by_share(order, setting.windows())) {
      if (expected.empty() || messages < expected.back().messages) {
        expected.push_back({messages, share});
      }
    }
    const auto front = pareto_front(order, setting.windows());
    RC_ASSERT(front.complete);
    RC_ASSERT(front.points == expected);
  });
}

TEST_CASE("the lowest score is never above Algorithm 3's, and proven") {
  testing::property("optimal_distribution of many elements", [] {
    const Rank ranks = *rc::gen::inRange<Rank>(1, 2000);
    const Index elements = *rc::gen::inRange<Index>(1, Index{1} << *rc::gen::inRange(1, 40));
    const double alpha = *rc::gen::inRange(0, 12) / 8.0;
    const BoundaryWindows windows(elements, ranks, alpha,
                                  *rc::gen::element(Moves::both_ways, Moves::downwards));
    const auto order = make_order("tree", elements);
    const auto algorithm3 = optimized_distribution(elements, ranks, alpha);
    check_inside(algorithm3, windows);
    const auto found = optimal_distribution(order, windows);
    check_inside(found.distribution, windows);
    RC_ASSERT(found.proven());
    RC_ASSERT(found.score_seconds <= score(algorithm3, walked(order, algorithm3)));
    RC_ASSERT(found.messages == walked(order, found.distribution));
  });
}

TEST_CASE("ten thousand ranks, proven") {
  const auto order = make_order("tree", 1'000'000'000'000);
  const auto found = optimal_distribution(order, {1'000'000'000'000, 10000, 0.2});
  CHECK(found.proven());
  CHECK(found.messages == message_count(found.distribution));
  CHECK(found.score_seconds < score(optimized_distribution(1'000'000'000'000, 10000, 0.2)));
}

TEST_CASE("a search that is broken off knows how far it is off") {
  testing::property("budget of optimal_distribution", [] {
    const Index elements = *rc::gen::inRange<Index>(1000, 100'000);
    const auto order = make_order("tree", elements);
    const BoundaryWindows windows(elements, *rc::gen::inRange<Rank>(2, 80), 0.25);
    const auto best = optimal_distribution(order, windows);
    double last = 0;
    for (const Index budget : {1, 100, 10000, 100000}) {
      const auto found = optimal_distribution(order, windows, {}, budget);
      RC_ASSERT(found.bound_seconds <= best.score_seconds);
      RC_ASSERT(found.score_seconds >= best.score_seconds);
      RC_ASSERT(found.bound_seconds >= last);
      RC_ASSERT(found.proven() == (found.bound_seconds == found.score_seconds));
      last = found.bound_seconds;
      const auto front = pareto_front(order, windows, budget);
      const auto all = pareto_front(order, windows);
      RC_ASSERT(all.complete);
      RC_ASSERT(front.complete == (front.points == all.points));
      for (const FrontPoint& point : front.points) {
        RC_ASSERT(std::find(all.points.begin(), all.points.end(), point) != all.points.end());
      }
    }
  });
}

TEST_CASE("too many states are rounded up to something that is and down to what nothing is below") {
  testing::property("FewestMessages with few states", [] {
    const Index elements = *rc::gen::inRange<Index>(1000, 100'000);
    const Rank ranks = *rc::gen::inRange<Rank>(2, 60);
    const auto order =
        make_order(*rc::gen::element<std::string>("tree", "chunked-tree:16"), elements);
    const BoundaryWindows windows(elements, ranks, *rc::gen::inRange(1, 9) / 8.0);
    const Index share =
        windows.least_largest_share() + *rc::gen::inRange<Index>(0, elements / ranks / 8 + 1);
    const auto exact = FewestMessages(order, windows).with(share);
    RC_ASSERT(exact.exact());
    FewestMessages few(order, windows, *rc::gen::inRange<std::size_t>(1, 8));
    const auto bounds = few.with(share);
    RC_ASSERT(bounds.least <= exact.least);
    RC_ASSERT(exact.least <= bounds.reached);
    const auto distribution = few.distribution(share);
    RC_ASSERT(distribution.largest_share() <= share);
    RC_ASSERT(walked(order, distribution) == bounds.reached);
    check_inside(distribution, windows);
  });
}

TEST_CASE("a front of rounded messages has no wrong point") {
  testing::property("pareto_front with few states", [] {
    const Index elements = *rc::gen::inRange<Index>(100, 5000);
    const auto order =
        make_order(*rc::gen::element<std::string>("tree", "chunked-tree:16"), elements);
    const BoundaryWindows windows(elements, *rc::gen::inRange<Rank>(2, 40),
                                  *rc::gen::inRange(1, 9) / 8.0);
    const auto all = pareto_front(order, windows);
    RC_ASSERT(all.complete);
    FewestMessages few(order, windows, *rc::gen::inRange<std::size_t>(1, 40));
    const auto front = pareto_front(few, windows, default_state_budget);
    for (const FrontPoint& point : front.points) {
      RC_ASSERT(std::find(all.points.begin(), all.points.end(), point) != all.points.end());
    }
    RC_ASSERT(front.points.size() == all.points.size() || !front.complete);
    RC_CLASSIFY(!front.complete);
  });
}

TEST_CASE("windows close to the largest numbers of elements") {
  constexpr Index most = std::numeric_limits<Index>::max();
  for (const Rank ranks : {1, 2, 3, 1000}) {
    for (const double alpha : {0.0, 0.2, 0.5, 1e300}) {
      CAPTURE(ranks, alpha);
      const BoundaryWindows windows(most, ranks, alpha);
      CHECK(windows.lowest(ranks) == most);
      CHECK(windows.highest(0) == 0);
      for (Index k = 0; k < ranks; ++k) {
        REQUIRE(windows.lowest(k) <= windows.lowest(k + 1));
        REQUIRE(windows.highest(k) <= windows.highest(k + 1));
        REQUIRE(windows.lowest(k) <= windows.fair(k));
        REQUIRE(windows.fair(k) <= windows.highest(k));
      }
      const auto found = optimal_distribution(make_order("tree", most), windows, {}, 10000);
      CHECK(found.bound_seconds <= found.score_seconds);
      const bool empty = found.distribution.range(0).empty();
      CHECK(found.messages == message_count_by_walk(found.distribution) + (empty ? 1 : 0));
    }
  }
}

TEST_CASE("what has no lowest score is refused") {
  CHECK_THROWS_WITH(BoundaryWindows(100, 4, -0.5), Catch::Contains("alpha"));
  CHECK_THROWS_WITH(BoundaryWindows(100, 4, std::numeric_limits<double>::quiet_NaN()),
                    Catch::Contains("alpha"));
  CHECK_THROWS_WITH(BoundaryWindows(0, 4, 0.5), Catch::Contains("N must be"));
  CHECK_THROWS_WITH(BoundaryWindows(4, 0, 0.5), Catch::Contains("p must be"));
  CHECK_THROWS_WITH(optimal_distribution(make_order("associative", 9), {9, 2, 0.2}),
                    Catch::Contains("associative"));
  CHECK_THROWS_WITH(pareto_front(make_order("tree", 9), {10, 2, 0.2}),
                    Catch::Contains("9") && Catch::Contains("10"));
}

}  // namespace optimal_test
