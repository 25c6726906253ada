// SPDX-License-Identifier: MIT

#include "bracket/model/rank_order.hpp"

#include <set>

#include "bracket/model/distribution.hpp"
#include "bracket/support/error.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

namespace rank_order_test {

using namespace bracket;
using Catch::Contains;
using Ranks = std::vector<Rank>;

TEST_CASE("every named rank order is a permutation, the same each time") {
  testing::property("permutations", [] {
    const Rank ranks = *rc::gen::inRange<Rank>(1, 300);
    const auto seed = *rc::gen::inRange<Index>(0, 1000);
    for (const auto& spec :
         {std::string("identity"), std::string("reversed"), "random:" + std::to_string(seed)}) {
      const auto order = make_rank_order(spec, ranks);
      RC_ASSERT(std::set<Rank>(order.begin(), order.end()).size() == order.size());
      RC_ASSERT(lower_distribution(ranks, ranks).with_rank_order(order).ranks() == ranks);
      RC_ASSERT(make_rank_order(spec, ranks) == order);
    }
  });
}

TEST_CASE("rank orders are what their names say") {
  CHECK(make_rank_order("identity", 3) == Ranks{0, 1, 2});
  CHECK(make_rank_order("reversed", 3) == Ranks{2, 1, 0});
  CHECK(make_rank_order("ranks:2:0:1", 3) == Ranks{2, 0, 1});
}

// These must not change between machines and compilers. A program in another language computed
// them; its generator follows the published definition of MT19937-64.
TEST_CASE("random rank orders worked out elsewhere") {
  CHECK(make_rank_order("random:1", 10) == Ranks{1, 7, 3, 9, 4, 0, 5, 2, 6, 8});
  CHECK(make_rank_order("random", 10) == make_rank_order("random:1", 10));
  CHECK(make_rank_order("random:0", 10) == Ranks{7, 2, 0, 8, 3, 9, 6, 1, 5, 4});
  CHECK(make_rank_order("random:9223372036854775807", 5) == Ranks{4, 3, 1, 2, 0});
  CHECK(make_rank_order("random:5", 1) == Ranks{0});
}

TEST_CASE("a rank order that cannot be made is refused with the reason") {
  CHECK_THROWS_WITH(make_rank_order("sideways", 3),
                    Contains("unknown rank order 'sideways'") && Contains("random[:seed]"));
  CHECK_THROWS_AS(make_rank_order("", 3), Error);
  CHECK_THROWS_AS(make_rank_order("identity:1", 3), Error);
  CHECK_THROWS_AS(make_rank_order("reversed:1", 3), Error);
  CHECK_THROWS_AS(make_rank_order("random:1:2", 3), Error);
  CHECK_THROWS_WITH(make_rank_order("random:-1", 3), Contains("seed must be at least 0"));
  CHECK_THROWS_WITH(make_rank_order("ranks:0:x", 2), Contains("rank at position 1"));
  CHECK_THROWS_WITH(make_rank_order("ranks:0:2", 2), Contains("rank 2") && Contains("0 to 1"));
  CHECK_THROWS_WITH(make_rank_order("ranks:0:4294967296", 2), Contains("rank 4294967296"));
}

}  // namespace rank_order_test
