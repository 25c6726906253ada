// SPDX-License-Identifier: MIT

#include "bracket/model/messages.hpp"

#include <chrono>
#include <limits>

#include "bracket/model/plan.hpp"
#include "bracket/support/error.hpp"

#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

namespace messages_test {

using namespace bracket;

namespace {

/// Joins of the level-by-level tree whose halves begin on different ranks.
Index intersecting_nodes(const Distribution& distribution) {
  Index count = 0;
  const Index elements = distribution.elements();
  for (Index width = 1; width < elements; width *= 2) {
    for (Index left = 0; left + width < elements; left += 2 * width) {
      if (distribution.owner(left) != distribution.owner(left + width)) ++count;
    }
  }
  return count;
}

}  // namespace

// Thesis, tables 3.1 and 3.2. For 557 and 165.1, line 5 of Algorithm 3 is corrected.
TEST_CASE("messages and scores of the thesis's example") {
  struct Row {
    const char* distribution;
    Index messages;
    double microseconds;
  };
  for (const auto& [spec, messages, microseconds] :
       {Row{"lower", 1640, 469.0}, Row{"upper", 1401, 401.9}, Row{"power2", 256, 1083.4},
        Row{"optimized:0.2", 557, 165.1}}) {
    CAPTURE(spec);
    const auto distribution = make_distribution(spec, 504850, 256);
    CHECK(message_count(distribution) == messages);
    CHECK(message_count_by_walk(distribution) == messages);
    CHECK(score(distribution) * 1e6 == Catch::Approx(microseconds).margin(0.05));
  }
}

TEST_CASE("closed form, Algorithm 2 and a count of the tree's nodes agree") {
  testing::property("message counts", [] {
    const auto distribution = *testing::any_distribution(300, 40);
    const Index expected = intersecting_nodes(distribution);
    RC_ASSERT(message_count(distribution) == expected);
    RC_ASSERT(message_count_by_walk(distribution) == expected);
  });
}

TEST_CASE("messages and score depend on the boundaries, not on who holds what") {
  testing::property("message counts in rank order", [] {
    const auto distribution = *testing::any_distribution(300, 40);
    const auto plain = Distribution::from_boundaries(distribution.boundaries());
    RC_ASSERT(message_count(distribution) == message_count(plain));
    RC_ASSERT(score(distribution) == score(plain));
    const auto order = make_order("chunked-tree:5", distribution.elements());
    RC_ASSERT(message_count(order, distribution) == message_count(order, plain));
  });
}

TEST_CASE("closed form and Algorithm 2 agree on long inputs") {
  testing::property("message counts of large N", [] {
    const auto distribution =
        *testing::any_distribution(std::numeric_limits<Index>::max() - 1, 200);
    RC_ASSERT(message_count(distribution) == message_count_by_walk(distribution));
  });
}

TEST_CASE("messages by an order are those of the direct plan to the first element's rank") {
  testing::property("message counts by order", [] {
    const auto distribution = *testing::any_distribution(300, 12);
    const auto spec =
        *rc::gen::element<std::string>("tree", "chunked-tree:3", "chunked-tree:64", "sequential");
    const auto order = make_order(spec, distribution.elements());
    const auto to_first = Delivery::to(distribution.owner(0));
    const auto schedule = make_schedule(order, distribution, *make_plan("direct"), to_first);
    RC_ASSERT(message_count(order, distribution) == schedule.messages());
  });
  const auto order = make_order("associative", 10);
  CHECK_THROWS_AS(message_count(order, lower_distribution(10, 2)), Error);
}

// Thesis, equation 2.4.
TEST_CASE("one element more than a power of two per rank costs (p - 1)(i + 1) messages") {
  for (const Rank p : {1, 2, 3, 7, 16, 256, 1280}) {
    for (int i = 0; i < 40; i += 3) {
      CAPTURE(p, i);
      const Index elements = (Index{1} << i) * p + 1;
      CHECK(message_count(lower_distribution(elements, p)) == Index{p - 1} * (i + 1));
    }
  }
}

TEST_CASE("an empty rank sends nothing") {
  CHECK(outbound_count({5, 5}) == 0);
  CHECK(outbound_count({0, 5}) == 0);
  CHECK(outbound_count({0, 0}) == 0);
}

TEST_CASE("the largest ranges do not overflow") {
  constexpr Index most = std::numeric_limits<Index>::max();
  CHECK(outbound_count({1, most}) == 63);  // 1, 2, 4 ... 2^62
  CHECK(outbound_count({most - 1, most}) == 1);
  CHECK(outbound_count({Index{1} << 62, most}) == 1);
}

}  // namespace messages_test
