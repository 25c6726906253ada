// SPDX-License-Identifier: MIT

#include "bracket/model/distribution.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "bracket/support/error.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

namespace distribution_test {

using namespace bracket;

namespace {

std::vector<Index> counts(const Distribution& distribution) {
  std::vector<Index> result;
  for (Rank rank = 0; rank < distribution.ranks(); ++rank) {
    result.push_back(distribution.range(rank).size());
  }
  return result;
}

using Counts = std::vector<Index>;

}  // namespace

TEST_CASE("the remainder goes to the lower or to the upper ranks") {
  CHECK(counts(lower_distribution(11, 4)) == Counts{3, 3, 3, 2});
  CHECK(counts(upper_distribution(11, 4)) == Counts{2, 3, 3, 3});
  CHECK(counts(lower_distribution(12, 4)) == Counts{3, 3, 3, 3});
  CHECK(counts(upper_distribution(12, 4)) == Counts{3, 3, 3, 3});
  CHECK(counts(lower_distribution(2, 4)) == Counts{1, 1, 0, 0});
  CHECK(counts(upper_distribution(2, 4)) == Counts{0, 0, 1, 1});
}

TEST_CASE("power2 rounds every rank but the last down to a power of two") {
  CHECK(counts(power2_distribution(29, 4)) == Counts{4, 4, 4, 17});
  CHECK(counts(power2_distribution(32, 4)) == Counts{8, 8, 8, 8});
  CHECK(counts(power2_distribution(3, 4)) == Counts{0, 0, 0, 3});
  CHECK(counts(power2_distribution(7, 1)) == Counts{7});
}

TEST_CASE("optimized moves boundaries down by at most alpha shares") {
  // Upper boundaries of 100 over 4: 25, 50, 75; a share is 25.
  CHECK(optimized_distribution(100, 4, 0).boundaries() == Counts{0, 25, 50, 75, 100});
  CHECK(optimized_distribution(100, 4, 0.1).boundaries() == Counts{0, 24, 48, 74, 100});
  CHECK(optimized_distribution(100, 4, 0.2).boundaries() == Counts{0, 24, 48, 72, 100});
  CHECK(optimized_distribution(100, 4, 10).boundaries() == Counts{0, 0, 0, 0, 100});
}

TEST_CASE("optimized boundaries stay in order and within their windows") {
  testing::property("optimized distribution", [] {
    const Index elements = *rc::gen::inRange<Index>(1, 100000);
    const Rank ranks = *rc::gen::inRange<Rank>(1, 300);
    const double alpha = *rc::gen::inRange(0, 3000) / 1000.0;
    const auto even = upper_distribution(elements, ranks);
    const auto moved = optimized_distribution(elements, ranks, alpha);
    RC_ASSERT(moved.elements() == elements);
    RC_ASSERT(moved.ranks() == ranks);
    for (std::size_t i = 0; i < even.boundaries().size(); ++i) {
      const Index down = even.boundaries()[i] - moved.boundaries()[i];
      RC_ASSERT(down >= 0);
      RC_ASSERT(static_cast<double>(down) <= alpha * (static_cast<double>(elements) / ranks));
    }
  });
}

TEST_CASE("optimized-shares moves boundaries down while the share below fits") {
  // Lower boundaries of 100 over 4: 25, 50, 75; a share is 25.
  CHECK(optimized_shares_distribution(100, 4, 0).boundaries() == Counts{0, 25, 50, 75, 100});
  // 25 moves to 24, since 16 is a share of 16; then 50 - 24 = 26 and 48 - 24 = 24 fit; 75, 74 and
  // 72 less 48 are 27, 26 and 24.
  CHECK(optimized_shares_distribution(100, 4, 0.1).boundaries() == Counts{0, 24, 48, 72, 100});
  CHECK(optimized_shares_distribution(100, 4, 0.2).boundaries() == Counts{0, 24, 48, 72, 100});
  // Lower boundaries of 29 over 4: 8, 15, 22; a share is 7.25. With alpha 0.1, a share has 7
  // elements: the first has 8 and stays, and 15 and 22 would leave 6 and 5. With alpha 0.45, it has
  // 4 to 10: 15 and 14 move to 12, and 22 and 20 to 16.
  CHECK(optimized_shares_distribution(29, 4, 0.1).boundaries() == Counts{0, 8, 15, 22, 29});
  CHECK(optimized_shares_distribution(29, 4, 0.45).boundaries() == Counts{0, 8, 12, 16, 29});
  // With alpha above 1, every share but an empty one fits.
  CHECK(optimized_shares_distribution(100, 4, 10).boundaries() == Counts{0, 16, 32, 64, 100});
}

TEST_CASE("optimized-shares gives the messages and the largest share of the thesis's table 3.3") {
  const auto shares = optimized_shares_distribution(504850, 256, 0.2);
  // The author's list of 256 shares (stelzch/allreduce, misc/distribution_bench.sh) begins and ends
  // with these and has these extremes.
  const auto all = counts(shares);
  CHECK(Counts(all.begin(), all.begin() + 10) ==
        Counts{1792, 1792, 2048, 2048, 2048, 2048, 1792, 1792, 2397, 1699});
  CHECK(Counts(all.end() - 4, all.end()) == Counts{1726, 2048, 2048, 2066});
  CHECK(*std::max_element(all.begin(), all.end()) == 2406);
  CHECK(*std::min_element(all.begin(), all.end()) == 1690);
}

TEST_CASE("the owner of an element holds it, whatever ranks are empty") {
  testing::property("owner", [] {
    const auto distribution = *testing::any_distribution(60, 20);
    for (Index x = 0; x < distribution.elements(); ++x) {
      RC_ASSERT(distribution.range(distribution.owner(x)).contains(x));
    }
  });
}

TEST_CASE("the shares follow each other in the rank order, whatever ranks are empty") {
  testing::property("rank order", [] {
    const auto distribution = *testing::any_distribution(60, 20);
    auto order = distribution.rank_order();
    if (order.empty()) {
      order.resize(static_cast<std::size_t>(distribution.ranks()));
      std::iota(order.begin(), order.end(), 0);
    }
    std::vector<Index> shares;
    std::vector<Rank> occupied;
    Index begin = 0;
    for (std::size_t k = 0; k < order.size(); ++k) {
      const Range share{begin, distribution.boundaries()[k + 1]};
      RC_ASSERT(distribution.range(order[k]) == share);
      RC_ASSERT(distribution.rank_at(static_cast<Index>(k)) == order[k]);
      RC_ASSERT(distribution.position_of(order[k]) == static_cast<Index>(k));
      if (share.size() > 0) occupied.push_back(order[k]);
      shares.push_back(share.size());
      begin = share.end;
    }
    RC_ASSERT(begin == distribution.elements());
    RC_ASSERT(distribution.occupied() == occupied);
    RC_ASSERT(Distribution::from_counts(shares).with_rank_order(order) == distribution);
  });
}

TEST_CASE("a rank order takes the place of the one before, and the identity is none") {
  const auto plain = Distribution::from_counts(Counts{3, 0, 4});
  const auto turned = plain.with_rank_order({1, 2, 0});
  CHECK(counts(turned) == Counts{4, 3, 0});
  CHECK(turned.range(0) == Range{3, 7});
  CHECK(turned.range(2) == Range{3, 3});
  CHECK(turned.occupied() == std::vector<Rank>{1, 0});
  CHECK(turned != plain);
  CHECK(turned.with_rank_order({2, 0, 1}) == plain.with_rank_order({2, 0, 1}));
  CHECK(turned.with_rank_order({0, 1, 2}) == plain);
  CHECK(plain.with_rank_order({0, 1, 2}).rank_order().empty());
}

TEST_CASE("a rank order that is no permutation of the ranks is refused with the reason") {
  using Catch::Contains;
  const auto plain = Distribution::from_counts(Counts{3, 0, 4});
  CHECK_THROWS_WITH(plain.with_rank_order({0, 1}), Contains("0 to 2") && Contains("not 2 ranks"));
  CHECK_THROWS_WITH(plain.with_rank_order({0, 1, 2, 3}), Contains("not 4 ranks"));
  CHECK_THROWS_WITH(plain.with_rank_order({}), Contains("not 0 ranks"));
  CHECK_THROWS_WITH(plain.with_rank_order({0, 3, 1}),
                    Contains("not rank 3, which is at position 1"));
  CHECK_THROWS_WITH(plain.with_rank_order({-1, 0, 1}), Contains("not rank -1"));
  CHECK_THROWS_WITH(plain.with_rank_order({2, 0, 2}), Contains("not rank 2 at positions 0 and 2"));
}

TEST_CASE("2^63 - 1 elements over a million ranks") {
  constexpr Index most = std::numeric_limits<Index>::max();
  for (const char* spec : {"lower", "upper", "power2", "optimized:0.2", "optimized-shares:0.2"}) {
    CAPTURE(spec);
    const auto distribution = make_distribution(spec, most, 1000000);
    CHECK(distribution.elements() == most);
    CHECK(distribution.owner(most - 1) == 999999);
  }
}

TEST_CASE("a distribution that cannot be is refused with the reason") {
  using Catch::Contains;
  CHECK_THROWS_WITH(make_distribution("lower", 0, 4), Contains("N must be at least 1"));
  CHECK_THROWS_WITH(make_distribution("lower", 5, 0), Contains("p must be at least 1"));
  CHECK_THROWS_WITH(make_distribution("optimized:-0.1", 5, 2), Contains("not be negative"));
  CHECK_THROWS_WITH(make_distribution("optimized:nan", 5, 2), Contains("nan"));
  CHECK_THROWS_WITH(make_distribution("optimized-shares:-1", 5, 2), Contains("not be negative"));
  CHECK_THROWS_AS(optimized_shares_distribution(5, 2, -0.1), Error);
  CHECK_THROWS_WITH(make_distribution("optimized:1e400", 5, 2), Contains("out of range"));
  CHECK_THROWS_AS(make_distribution("optimized:", 5, 2), Error);
  CHECK_THROWS_AS(make_distribution("optimized:0.1:0.2", 5, 2), Error);
  CHECK_THROWS_AS(optimized_distribution(5, 2, std::numeric_limits<double>::quiet_NaN()), Error);
  CHECK_THROWS_WITH(make_distribution("counts:2:2", 5, 2), Contains("add up to 4, not to N = 5"));
  CHECK_THROWS_WITH(make_distribution("counts:2:2:1", 5, 2), Contains("3 counts for p = 2"));
  CHECK_THROWS_WITH(make_distribution("counts:-2:7", 5, 2), Contains("position 0"));
  CHECK_THROWS_WITH(make_distribution("middle", 5, 2),
                    Contains("unknown distribution 'middle'") && Contains("optimized[:alpha]"));
  CHECK_THROWS_WITH(Distribution::from_boundaries({0, 3, 2, 5}),
                    Contains("boundary 2 is 2 after 3"));
  CHECK_THROWS_AS(Distribution::from_boundaries({0}), Error);
  CHECK_THROWS_AS(Distribution::from_boundaries({1, 2}), Error);
  CHECK_THROWS_AS(Distribution::from_boundaries({0, 0}), Error);
  const Index most = std::numeric_limits<Index>::max();
  CHECK_THROWS_WITH(Distribution::from_counts(Counts{most, 1}), Contains("exceed 2^63 - 1"));
}

}  // namespace distribution_test
