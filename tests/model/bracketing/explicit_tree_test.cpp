// SPDX-License-Identifier: MIT

#include "bracket/model/explicit_tree.hpp"

#include <algorithm>
#include <set>

#include "bracket/model/messages.hpp"
#include "bracket/model/operation.hpp"
#include "bracket/model/verify.hpp"
#include "bracket/support/error.hpp"
#include "support/bracketing.hpp"
#include "support/catch.hpp"
#include "support/plans.hpp"

namespace explicit_tree_test {

using namespace bracket;
using testing::Bracketing;

namespace {

/// Joins neighbours while a bracket has them as halves.
std::vector<Partial> naive_frontier(const Bracketing& bracketing, Range range) {
  std::vector<Range> values;
  for (Index x = range.begin; x < range.end; ++x) values.push_back({x, x + 1});
  for (std::size_t i = 0; i + 1 < values.size();) {
    const auto found = bracketing.splits.find({values[i].begin, values[i + 1].end});
    if (found == bracketing.splits.end() || found->second != values[i].end) {
      ++i;
      continue;
    }
    values[i].end = values[i + 1].end;
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    i = 0;
  }
  return {values.begin(), values.end()};
}

}  // namespace

TEST_CASE("an explicit order has the brackets of its tree") {
  std::mt19937_64 random(1);
  for (Index elements = 1; elements <= 14; ++elements) {
    for (int trial = 0; trial < 8; ++trial) {
      const Bracketing bracketing(elements, random);
      const Order order = bracketing.order();
      CAPTURE(order.spec());
      CHECK(order == make_order(order.spec(), elements));
      for (Index b = 0; b < elements; ++b) {
        for (Index e = b + 1; e <= elements; ++e) {
          const auto found = bracketing.splits.find({b, e});
          const bool is_bracket = e == b + 1 || found != bracketing.splits.end();
          CHECK(order.is_bracket({b, e}) == is_bracket);
          CHECK(order.frontier({b, e}) == naive_frontier(bracketing, {b, e}));
          std::vector<Range> outbound;  // right halves whose left half begins before the range
          for (const auto& [bracket, middle] : bracketing.splits) {
            if (b <= middle && middle < e && bracket.begin < b) {
              outbound.push_back({middle, bracket.end});
            }
          }
          std::sort(outbound.begin(), outbound.end());
          CHECK(order.outbound({b, e}) == std::vector<Partial>(outbound.begin(), outbound.end()));
          CHECK(outbound_count(order, {b, e}) == static_cast<Index>(outbound.size()));
          for (Index m = b + 1; m < e; ++m) {
            const bool joined = found != bracketing.splits.end() && found->second == m;
            CHECK(order.joinable(Range{b, m}, Range{m, e}) == joined);
            if (joined) CHECK(order.split({b, e}) == m);
          }
        }
      }
    }
  }
}

TEST_CASE("every plan makes a correct schedule of an explicit order") {
  std::mt19937_64 random(2);
  for (const Index elements : {1, 2, 5, 9, 16}) {
    for (const Rank ranks : {1, 2, 3, 5, 9}) {
      const Bracketing bracketing(elements, random);
      const Order order = bracketing.order();
      const auto held = upper_distribution(elements, ranks);
      for (const Delivery delivery : {Delivery::to(ranks - 1), Delivery::to_all()}) {
        const Problem problem{order, held, delivery, 7};
        for (const auto& plan : testing::fitting_plans(problem)) {
          CAPTURE(order.spec(), ranks, plan->spec());
          const Schedule schedule = make_schedule(problem, *plan);
          const Verdict verdict = verify(schedule);
          CHECK(verdict.violations.empty());
          CHECK(count_messages(problem, *plan) == schedule.messages());
        }
      }
    }
  }
}

TEST_CASE("an explicit order is refused with words") {
  // The parent of 3 is 2, 0, but not 1, which the largest bracket at 2 ends.
  CHECK_THROWS_WITH(make_order("explicit:0:0:1", 4), Catch::Contains("the parent of element 3"));
  CHECK_THROWS_WITH(make_order("explicit:1", 2), Catch::Contains("the parent of element 1"));
  CHECK_THROWS_WITH(make_order("explicit:0:x", 3), Catch::Contains("parent of element 2: 'x'"));
  CHECK_THROWS_WITH(make_order("explicit:0:-1", 3), Catch::Contains("at least 0"));
  CHECK_THROWS_WITH(make_order("explicit:0:0", 4), Catch::Contains("for N = 3, not for N = 4"));
  CHECK(fixes_bracketing("explicit:0:0"));
  CHECK_FALSE(fixes_bracketing("associative"));
  // Shapes that the table has, too, remain orders of their own.
  CHECK(make_order("explicit:0:0:0", 4) != make_order("sequential", 4));
  CHECK(make_order("explicit:0:0:2", 4) != make_order("explicit:0:0:0", 4));
}

}  // namespace explicit_tree_test
