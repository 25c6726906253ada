// SPDX-License-Identifier: MIT

#include <random>

#include "bracket/model/order_search.hpp"
#include "bracket/support/error.hpp"
#include "support/bracketing.hpp"
#include "support/catch.hpp"
#include "support/hostile.hpp"
#include "support/planned_reduction.hpp"
#include "support/reference.hpp"
#include "support/world.hpp"

namespace explicit_orders_mpi_test {

using namespace bracket;
using namespace bracket::runtime;
using testing::bits;
using testing::own_part;
using testing::PlannedReduction;
using testing::world;

TEST_CASE("every plan gives the serial bits of an explicit order") {
  std::mt19937_64 random(5);
  for (const Index count : {1, 2, 7, 19}) {
    const testing::Bracketing bracketing(count, random);
    const Order order = bracketing.order();
    const auto elements =
        testing::hostile_elements(testing::Hostile::cancelling, static_cast<std::size_t>(count), 3);
    const double expected =
        bracketing.reduced(std::span<const double>(elements), std::plus<double>());
    const auto held = testing::random_distribution(count, random);
    for (const PlanEntry& row : plans()) {
      const auto plan = make_plan(row.entry.name);
      const Problem problem{order, held, Delivery::to_all()};
      CAPTURE(order.spec(), row.entry.name);
      PlannedReduction<> reducer(MPI_COMM_WORLD, problem, *plan);
      CHECK(bits(reducer.run(own_part(elements, held)).value()) == bits(expected));
    }
  }
}

// The search for the order of another library's sum also finds that of a reducer.
TEST_CASE("the order that a plan promises is revealed") {
  const Rank ranks = world().size();
  const auto held = upper_distribution(ranks, ranks);
  for (const char* const spec : {"tree", "sequential", "chunked-tree:3"}) {
    AdditionTree promised;
    std::vector<AdditionTree::Node> operands;
    for (Rank rank = 0; rank < ranks; ++rank) operands.push_back(promised.operand(rank));
    const std::string_view name = spec;
    const std::size_t chunk = name == "tree" ? 1 : name == "sequential" ? operands.size() : 3;
    const auto root =
        testing::reduced(std::span<const AdditionTree::Node>(operands), chunk,
                         [&](auto left, auto right) { return promised.add(left, right); });
    for (const PlanEntry& row : plans()) {
      const Order order = make_order(spec, ranks);
      const Problem problem{order, held, Delivery::to_all()};
      const auto plan = make_plan(row.entry.name);
      try {
        plan->require(problem);
      } catch (const Error&) {
        continue;
      }
      CAPTURE(spec, row.entry.name);
      PlannedReduction<> reducer(MPI_COMM_WORLD, problem, *plan);
      const auto found = reveal_order(ranks, [&](auto operand) {
        return reducer.run(operand.subspan(static_cast<std::size_t>(world().rank()), 1)).value();
      });
      REQUIRE(found);
      CHECK(describe(*found) == describe(promised.order(root)));
    }
  }
}

}  // namespace explicit_orders_mpi_test
