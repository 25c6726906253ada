// SPDX-License-Identifier: MIT

#include <numeric>

#include "bracket/model/rank_order.hpp"
#include "support/catch.hpp"
#include "support/hostile.hpp"
#include "support/operators.hpp"
#include "support/planned_reduction.hpp"
#include "support/reference.hpp"
#include "support/world.hpp"

namespace vectors_mpi_test {

using namespace bracket;
using namespace bracket::runtime;
using testing::bits;
using testing::PlannedReduction;
using testing::world;

namespace {

/// `elements` vectors of `items` numbers each, stored one after the other.
template <class Value>
struct Vectors {
  Index elements = 0;
  Index items = 0;
  std::vector<Value> values;

  /// Item `item` of all vectors.
  [[nodiscard]] std::vector<Value> column(Index item) const {
    std::vector<Value> result;
    for (Index x = 0; x < elements; ++x) {
      result.push_back(values[static_cast<std::size_t>(x * items + item)]);
    }
    return result;
  }
};

Vectors<double> hostile_vectors(Index elements, Index items) {
  const auto count = static_cast<std::size_t>(elements * items);
  return {elements, items, testing::hostile_elements(testing::Hostile::specials, count, count)};
}

Vectors<testing::Text> text_vectors(Index elements, Index items) {
  Vectors<testing::Text> vectors{elements, items, {}};
  for (Index i = 0; i < elements * items; ++i) {
    vectors.values.push_back(testing::text_of(std::string(1, static_cast<char>('A' + i % 50))));
  }
  return vectors;
}

struct OrderCase {
  std::string spec;
  std::size_t chunk;
};

/// Runs on this rank's vectors; returns the items that the rank ends with.
template <class Operation, class Value = typename Operation::Value>
std::vector<Value> run(const Vectors<Value>& vectors, const Problem& problem, const Plan& plan,
                       Operation operation) {
  const Range held = problem.distribution.range(world().rank());
  const std::vector<Value> own(vectors.values.begin() + held.begin * vectors.items,
                               vectors.values.begin() + held.end * vectors.items);
  PlannedReduction<Operation> reducer(MPI_COMM_WORLD, problem, plan, operation);
  std::vector<Value> result(static_cast<std::size_t>(reducer.delivered().size()));
  reducer.run(own, result);
  reducer.run(own, result);  // once more, over the first result
  CHECK(reducer.delivered() ==
        problem.delivery.wanted(world().rank(), world().size(), problem.items));
  return result;
}

/// Reduces by the plans and compares every item that this rank ends with.
template <class Operation, class Value, class Join, class Same>
void check(const Vectors<Value>& vectors, const std::vector<std::string>& specs, Join join,
           Operation operation, Same same) {
  const auto p = world().size();
  for (const auto& [order_spec, chunk] :
       {OrderCase{"tree", 1}, OrderCase{"chunked-tree:3", 3},
        OrderCase{"sequential", static_cast<std::size_t>(vectors.elements)}}) {
    const auto order = make_order(order_spec, vectors.elements);
    for (const char* const rank_order : {"identity", "random:3"}) {
      const auto distribution = make_distribution("optimized:0.6", vectors.elements, p)
                                    .with_rank_order(make_rank_order(rank_order, p));
      for (const auto& spec : specs) {
        for (const Delivery delivery :
             {Delivery::to(p / 2), Delivery::to_all(), Delivery::scattered()}) {
          const Problem problem{order, distribution, delivery, vectors.items};
          const auto result = run(vectors, problem, *make_plan(spec), operation);
          CAPTURE(order_spec, rank_order, spec, name_of(delivery.collective), vectors.elements,
                  vectors.items);
          const Range mine = delivery.wanted(world().rank(), p, vectors.items);
          for (Index item = mine.begin; item < mine.end; ++item) {
            const auto column = vectors.column(item);
            const auto& found = result[static_cast<std::size_t>(item - mine.begin)];
            if (!same(found, testing::reduced(std::span<const Value>(column), chunk, join))) {
              FAIL_CHECK("item " << item << " has other bits");
            }
          }
        }
      }
    }
  }
}

const std::vector<std::string> halving{"butterfly:1",   "butterfly:5",
                                       "elimination:1", "elimination-overlapping:2",
                                       "ring:1",        "composed:5:1"};

std::vector<std::string> names_of_all() {
  std::vector<std::string> names;
  for (const auto& row : plans()) {
    if (make_plan(row.entry.name)->scheduled()) names.emplace_back(row.entry.name);
  }
  return names;
}

}  // namespace

TEST_CASE("vectors have the serial bits item by item") {
  const auto same = [](double a, double b) { return bits(a) == bits(b); };
  for (const Index elements : {Index{1}, Index{world().size()}, Index{3 * world().size() + 1}}) {
    for (const Index items : {1, 2, 13, 100}) {
      check(hostile_vectors(elements, items), halving, std::plus<double>(), DoubleSum{}, same);
    }
    check(hostile_vectors(elements, 7), names_of_all(), std::plus<double>(), DoubleSum{}, same);
  }
}

TEST_CASE("vectors longer than the default threshold are halved") {
  const auto same = [](double a, double b) { return bits(a) == bits(b); };
  check(hostile_vectors(world().size(), 3001), {"butterfly", "elimination"}, std::plus<double>(),
        DoubleSum{}, same);
}

TEST_CASE("the operator is applied to items in one order and bracketing") {
  const auto same = [](const testing::Text& a, const testing::Text& b) { return a == b; };
  check(text_vectors(world().size() + 2, 5), halving, testing::Concatenate(),
        Reduction<testing::Text, testing::Concatenate>{}, same);
}

TEST_CASE("a vector of the wrong length, or no room for it, is refused on every rank") {
  const auto order = make_order("tree", world().size());
  const auto distribution = lower_distribution(world().size(), world().size());
  const std::vector<double> own{1, 2, 3};
  std::vector<double> result(3);
  const auto refuse = [&](std::size_t items, std::size_t room, const char* why) {
    PlannedReduction<> reducer(MPI_COMM_WORLD, {order, distribution, Delivery::to_all(), 3},
                               *make_plan("butterfly"));
    CHECK_THROWS_WITH(reducer.run(std::span(own).first(items), std::span(result).first(room)),
                      Catch::Contains(why));
  };
  refuse(2, 3, "the array of elements has 16 bytes");
  refuse(3, 1, "room for 1 result(s), there are 3");
}

}  // namespace vectors_mpi_test
