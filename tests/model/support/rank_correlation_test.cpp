// SPDX-License-Identifier: MIT

#include "bracket/support/rank_correlation.hpp"

#include <vector>

#include "bracket/support/error.hpp"
#include "support/catch.hpp"

namespace rank_correlation_test {

using namespace bracket;
using Catch::Approx;

namespace {

std::optional<double> tau(const std::vector<double>& left, const std::vector<double>& right) {
  return support::kendall_tau(left, right);
}

}  // namespace

TEST_CASE("Kendall's tau of orders that agree, disagree and half agree") {
  CHECK(tau({1, 2, 3, 4}, {10, 20, 30, 40}) == 1.0);
  CHECK(tau({1, 2, 3, 4}, {4, 3, 2, 1}) == -1.0);
  // 5 of 6 pairs are in the same order.
  CHECK(*tau({1, 2, 3, 4}, {1, 2, 4, 3}) == Approx(4.0 / 6));
}

TEST_CASE("Kendall's tau with ties is tau-b") {
  // scipy.stats.kendalltau([12, 2, 1, 12, 2], [1, 4, 7, 1, 0])
  CHECK(*tau({12, 2, 1, 12, 2}, {1, 4, 7, 1, 0}) == Approx(-0.47140452079103173));
}

TEST_CASE("Kendall's tau where there is none") {
  CHECK_FALSE(tau({}, {}));
  CHECK_FALSE(tau({1}, {2}));
  CHECK_FALSE(tau({1, 1}, {1, 2}));
  CHECK_FALSE(tau({1, 2}, {3, 3}));
  CHECK_THROWS_AS(tau({1, 2}, {1}), Error);
}

}  // namespace rank_correlation_test
