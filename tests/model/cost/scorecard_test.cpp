// SPDX-License-Identifier: MIT

#include "bracket/model/scorecard.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bracket/support/error.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

namespace scorecard_test {

using namespace bracket;
using Catch::Approx;
using Catch::Contains;

namespace {

JudgedRow row(double predicted, double measured, double interval = 0) {
  return {predicted, measured, measured - interval, measured + interval};
}

Scorecard judge_one(const std::vector<JudgedRow>& group) { return judge({&group, 1}); }

}  // namespace

TEST_CASE("errors are relative to what was measured, and without sign") {
  // Errors of 10, 20, 50 and 100 %.
  const auto card = judge_one({row(9, 10), row(12, 10), row(5, 10), row(20, 10)});
  CHECK(card.rows == 4);
  CHECK(card.median_error == Approx(0.35));
  CHECK(card.p90_error == Approx(1));
  std::vector<JudgedRow> ten;
  for (int i = 1; i <= 10; ++i) ten.push_back(row(100 + i, 100));
  CHECK(judge_one(ten).median_error == Approx(0.055));
  CHECK(judge_one(ten).p90_error == Approx(0.09));
  ten.push_back(row(200, 100));
  CHECK(judge_one(ten).p90_error == Approx(0.1));
}

TEST_CASE("a predicted winner is right if it is measured within a tenth of the fastest") {
  CHECK(judge_one({row(1, 11), row(2, 10)}).winner_accuracy == 1.0);
  CHECK(judge_one({row(1, 11.1), row(2, 10)}).winner_accuracy == 0.0);
  CHECK_FALSE(judge_one({row(1, 5)}).winner_accuracy);
  const std::vector<std::vector<JudgedRow>> groups{
      {row(1, 1), row(2, 2)}, {row(2, 1), row(1, 2)}, {row(1, 1)}};
  const auto card = judge(groups);
  CHECK(card.rows == 5);
  CHECK(card.choices == 2);
  CHECK(card.winner_accuracy == 0.5);
}

TEST_CASE("only pairs that differ by more than their intervals are judged") {
  // The intervals of the first two rows touch.
  const auto card = judge_one({row(5, 10, 1), row(4, 12, 1), row(6, 20, 1)});
  CHECK(card.pairs == 2);
  CHECK(card.pair_accuracy == 1.0);
  CHECK(card.kendall_tau == 1.0);
  const auto none = judge_one({row(5, 10, 1), row(4, 12, 1)});
  CHECK(none.pairs == 0);
  CHECK_FALSE(none.pair_accuracy);
  CHECK_FALSE(none.kendall_tau);
  // Equal predictions give no order, so their pairs are neither right nor wrong.
  const auto equal = judge_one({row(5, 1), row(5, 2), row(4, 3)});
  CHECK(equal.pair_accuracy == 0.0);
  CHECK(equal.kendall_tau == Approx(-2.0 / 3));
}

TEST_CASE("a scorecard is what its definition says of any rows") {
  testing::property("scorecards", [] {
    const auto groups = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::vector<JudgedRow>>>(
        rc::gen::nonEmpty(rc::gen::container<std::vector<JudgedRow>>(rc::gen::map(
            rc::gen::tuple(rc::gen::inRange(1, 20), rc::gen::inRange(1, 20),
                           rc::gen::inRange(0, 3)),
            [](const std::tuple<int, int, int>& figures) {
              return row(std::get<0>(figures), std::get<1>(figures), std::get<2>(figures));
            })))));
    const auto card = judge(groups);
    std::size_t rows = 0, pairs = 0, right = 0, wrong = 0, below_median = 0, below_p90 = 0;
    for (const auto& group : groups) {
      for (const auto& one : group) {
        ++rows;
        const double error = std::abs(one.predicted - one.measured) / one.measured;
        if (error <= card.median_error + 1e-12) ++below_median;
        if (error <= card.p90_error + 1e-12) ++below_p90;
        for (const auto& other : group) {
          if (one.high >= other.low) continue;
          ++pairs;
          if (one.predicted < other.predicted) ++right;
          if (one.predicted > other.predicted) ++wrong;
        }
      }
    }
    RC_ASSERT(card.rows == rows);
    RC_ASSERT(card.pairs == pairs);
    RC_ASSERT(2 * below_median >= rows);
    RC_ASSERT(10 * below_p90 >= 9 * rows);
    if (pairs == 0) return;
    const auto all = static_cast<double>(pairs);
    RC_ASSERT(*card.pair_accuracy == static_cast<double>(right) / all);
    RC_ASSERT(std::abs(*card.kendall_tau -
                       (static_cast<double>(right) - static_cast<double>(wrong)) / all) < 1e-12);
  });
}

TEST_CASE("what cannot be judged is refused") {
  CHECK_THROWS_WITH(judge({}), Contains("no row"));
  for (const double bad :
       {-1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    CHECK_THROWS_WITH(judge_one({row(bad, 1)}), Contains("must be finite"));
    CHECK_THROWS_WITH(judge_one({row(1, bad)}), Contains("must be finite"));
  }
  CHECK_THROWS_WITH(judge_one({row(1, 0)}), Contains("must be finite"));
  CHECK(judge_one({row(0, 1)}).median_error == 1);
}

}  // namespace scorecard_test
