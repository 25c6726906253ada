// SPDX-License-Identifier: MIT

#include "bracket/model/known_orders.hpp"

#include <algorithm>

#include "bracket/model/plan.hpp"
#include "bracket/model/verify.hpp"
#include "bracket/support/error.hpp"
#include "support/catch.hpp"

namespace known_orders_test {

using namespace bracket;

namespace {

std::string order_named(std::string_view name, Rank ranks, Rank root, std::size_t which = 0) {
  for (const KnownOrder& row : known_orders()) {
    if (row.entry.name == name) return describe(row.orders(ranks, root).at(which));
  }
  return "none";
}

}  // namespace

// Worked out by hand from the descriptions of the algorithms.
TEST_CASE("known algorithms add in these orders") {
  CHECK(order_named("recursive-doubling", 7, 0) == "(((0+1)+(2+3))+((4+5)+6))");
  CHECK(order_named("recursive-doubling", 5, 0) == "(((0+1)+2)+(3+4))");
  CHECK(order_named("binomial", 5, 0) == "(((0+1)+(2+3))+4)");
  CHECK(order_named("binomial", 6, 2) == "((0+1)+((2+3)+(4+5)))");
  CHECK(order_named("recursive-halving", 8, 0) == "(((0+4)+(2+6))+((1+5)+(3+7)))");
  CHECK(order_named("recursive-halving", 5, 0) == "(((0+1)+3)+(2+4))");
  CHECK(order_named("linear", 4, 0) == "(((0+1)+2)+3)");
  CHECK(order_named("linear", 4, 0, 1) == "(0+(1+(2+3)))");
  CHECK(order_named("pipeline", 6, 2) == "(((((0+1)+5)+4)+3)+2)");
  CHECK(order_named("chains", 8, 0) == "((((0+(1+2))+(3+4))+(5+6))+7)");
  CHECK(order_named("chains", 8, 2) == "(((0+7)+((2+(3+4))+(5+6)))+1)");
  CHECK(order_named("binary", 8, 0) == "((0+((1+(3+7))+5))+((2+4)+6))");
  CHECK(order_named("binary", 6, 2) == "((0+4)+((1+(3+5))+2))");
  CHECK(order_named("binary", 7, 0, 1) == "((0+((1+3)+4))+((2+5)+6))");
  CHECK(order_named("in-order-binary", 6, 0) == "((0+(1+2))+((3+4)+5))");
  CHECK(order_named("in-order-binary", 8, 0) == "(((0+1)+(2+3))+((4+(5+6))+7))");
  CHECK(order_named("ring", 4, 0, 2) == "((0+(2+3))+1)");
}

TEST_CASE("an algorithm is recognised by all its orders") {
  const auto names = [](const std::vector<RankedOrder>& orders, Rank root) {
    std::vector<std::string_view> found;
    for (const KnownOrder* row : recognise(orders, root)) found.push_back(row->entry.name);
    return found;
  };
  using Names = std::vector<std::string_view>;
  for (const KnownOrder& row : known_orders()) {
    for (const Rank ranks : {2, 3, 7, 8, 16}) {
      const auto found = names(row.orders(ranks, 1), 1);
      CAPTURE(row.entry.name, ranks);
      // Several starts are a ring, or a linear sum.
      CHECK(std::find(found.begin(), found.end(), row.entry.name) != found.end());
    }
  }
  const auto ring = known_orders().back().orders(6, 0);
  CHECK(names(ring, 0) == Names{"ring"});
  CHECK(names({ring.front()}, 0) == Names{"linear", "ring"});
  CHECK(names({{make_order(ExplicitTree({0, 1, 1, 0})), {0, 2, 1, 4, 3}}}, 0).empty());
}

TEST_CASE("the plan of each algorithm makes a schedule of its order") {
  for (const KnownOrder& row : known_orders()) {
    for (const Rank ranks : {2, 5, 8}) {
      const RankedOrder order = row.orders(ranks, 0).front();
      const auto held = lower_distribution(ranks, ranks).with_rank_order(order.ranks);
      const auto schedule =
          make_schedule(order.order, held, *make_plan(row.plan), Delivery::to_all(), 16);
      CAPTURE(row.entry.name, ranks);
      CHECK(verify(schedule).ok());
    }
  }
}

}  // namespace known_orders_test
