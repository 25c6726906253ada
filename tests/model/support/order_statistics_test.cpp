// SPDX-License-Identifier: MIT

#include "bracket/support/order_statistics.hpp"

#include <algorithm>
#include <vector>

#include "support/catch.hpp"

namespace order_statistics_test {

using namespace bracket;

TEST_CASE("the median of an even number of values is between two of them") {
  CHECK(support::median({7}) == 7);
  CHECK(support::median({4, 1}) == 2.5);
  CHECK(support::median({9, 1, 2}) == 2);
  CHECK(support::median({4, 3, 1, 10}) == 3.5);
}

TEST_CASE("a quantile is one of the values") {
  CHECK(support::quantile({7}, 0.5) == 7);
  CHECK(support::quantile({4, 1}, 0.5) == 4);
  CHECK(support::quantile({5, 4, 3, 2, 1}, 0.5) == 3);
  CHECK(support::quantile({5, 4, 3, 2, 1}, 0) == 1);
  CHECK(support::quantile({8, 7, 6, 5, 4, 3, 2, 1}, 0.25) == 3);
  CHECK(support::quantile({8, 7, 6, 5, 4, 3, 2, 1}, 0.75) == 7);
}

TEST_CASE("an interquartile mean leaves out the lowest and the highest quarter") {
  CHECK(support::interquartile_mean({7}) == 7);
  CHECK(support::interquartile_mean({4, 1}) == 2.5);
  CHECK(support::interquartile_mean({9, 1, 2}) == 4);
  CHECK(support::interquartile_mean({1000, 3, -50, 5}) == 4);
  CHECK(support::interquartile_mean({8, 1, 2, 3, 4, 5, 6, 700}) == 4.5);
}

TEST_CASE("the rank of the median's interval is that of sums of binomial probabilities") {
  std::vector<double> probability{1};  // that so many of n samples are below the median
  for (std::size_t n = 1; n <= 3000; ++n) {
    // Pascal's triangle with rows that add up to 1.
    probability.push_back(0);
    for (std::size_t below = n; below > 0; --below) {
      probability[below] = (probability[below] + probability[below - 1]) / 2;
    }
    probability[0] /= 2;
    // The interval misses the median if fewer than k samples are below it, or above it.
    std::size_t k = 0;
    for (double missed = probability[0]; missed <= 0.025; missed += probability[k]) ++k;
    CAPTURE(n);
    REQUIRE(support::median_interval_rank(n) == std::max<std::size_t>(k, 1));
  }
}

}  // namespace order_statistics_test
