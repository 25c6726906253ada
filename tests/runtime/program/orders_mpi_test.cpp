// SPDX-License-Identifier: MIT

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <string>

#include "bracket/model/rank_order.hpp"
#include "support/catch.hpp"
#include "support/hostile.hpp"
#include "support/operators.hpp"
#include "support/planned_reduction.hpp"
#include "support/reference.hpp"

namespace orders_mpi_test {

using namespace bracket;
using namespace bracket::runtime;
using testing::bits;
using testing::PlannedReduction;

namespace {

using testing::Concatenate;
using testing::IntegerMatrix;
using testing::Multiply;
using testing::RealMatrix;
using testing::Text;
using testing::text_of;

struct OrderCase {
  std::string spec;
  std::size_t chunk;
};

/// Every order with a fixed bracketing.
std::vector<OrderCase> order_cases(std::size_t count) {
  std::vector<OrderCase> cases;
  const auto add = [&](const std::string& spec) {
    const Order order = make_order(spec, static_cast<Index>(count));
    cases.push_back({spec, static_cast<std::size_t>(order.chunk_size())});
  };
  for (const OrderEntry& row : orders()) {
    const std::string name(row.entry.name);
    if (!row.fixed) continue;
    if (row.parameter.empty()) {
      add(name);
    } else {
      add(name + ":3");
      add(name + ":16");
    }
  }
  return cases;
}

struct DistributionCase {
  const char* spec;
  const char* rank_order;
};

constexpr DistributionCase distribution_cases[] = {{"lower", "identity"},
                                                   {"upper", "identity"},
                                                   {"optimized:0.6", "identity"},
                                                   {"upper", "random:1"},
                                                   {"optimized:0.6", "random:2"}};

/// Reduces by every plan over every distribution and passes each result to `check`.
template <class Operation, class Check>
void for_every_plan(const std::string& order_spec,
                    const std::vector<typename Operation::Value>& elements, Operation operation,
                    Check check) {
  const Communicator world(MPI_COMM_WORLD);
  const auto count = static_cast<Index>(elements.size());
  const auto order = make_order(order_spec, count);
  for (const auto& [distribution_spec, rank_order] : distribution_cases) {
    const auto distribution = make_distribution(distribution_spec, count, world.size())
                                  .with_rank_order(make_rank_order(rank_order, world.size()));
    const Range held = distribution.range(world.rank());
    const std::vector<typename Operation::Value> own(elements.begin() + held.begin,
                                                     elements.begin() + held.end);
    for (const auto& row : plans()) {
      const auto plan = make_plan(row.entry.name);
      try {
        plan->require({order, distribution, Delivery::to_all()});
      } catch (const Error&) {
        continue;
      }
      CAPTURE(order_spec, distribution_spec, rank_order, plan->spec(), count);
      const Problem problem{order, distribution, Delivery::to_all()};
      PlannedReduction<Operation> reducer(MPI_COMM_WORLD, problem, *plan, operation);
      check(reducer.run(own).value());
    }
  }
}

}  // namespace

TEST_CASE("every plan and order gives the serial bits") {
  for (const std::size_t count : {1, 2, 7, 61, 300}) {
    for (const auto kind : {testing::Hostile::cancelling, testing::Hostile::specials}) {
      const auto elements = testing::hostile_elements(kind, count, count);
      for (const auto& [spec, chunk] : order_cases(count)) {
        const double expected =
            testing::reduced(std::span<const double>(elements), chunk, std::plus<double>());
        for_every_plan(spec, elements, DoubleSum{},
                       [&](double sum) { CHECK(bits(sum) == bits(expected)); });
      }
    }
  }
}

namespace {

template <class Number, class Operator>
void check_kernel_reduction(Number (*join)(Number, Number)) {
  for (const std::size_t count : {1, 7, 300}) {
    const auto elements =
        testing::hostile_elements<Number>(testing::Hostile::signed_zeros, count, count);
    for (const auto& [spec, chunk] : order_cases(count)) {
      const Number expected = testing::reduced(std::span<const Number>(elements), chunk, join);
      for_every_plan(spec, elements, KernelReduction<Number, Operator>{},
                     [&](Number result) { CHECK(bits(result) == bits(expected)); });
    }
  }
}

}  // namespace

TEST_CASE("the kernels' other types and operators give the serial bits") {
  check_kernel_reduction<float, Sum>([](float x, float y) { return x + y; });
  check_kernel_reduction<double, Product>([](double x, double y) { return x * y; });
  check_kernel_reduction<float, Minimum>(testing::lesser<float>);
  check_kernel_reduction<double, Maximum>(testing::greater<double>);
}

TEST_CASE("operators that are not associative are applied in one order and bracketing") {
  for (const std::size_t count : {1, 5, 37}) {
    std::vector<Text> letters;
    for (std::size_t i = 0; i < count; ++i) {
      letters.push_back(text_of(std::string(1, static_cast<char>('A' + i))));
    }
    std::vector<RealMatrix> matrices;
    for (std::size_t i = 0; i < count; ++i) {
      const auto x = testing::hostile_elements(testing::Hostile::uniform, 4, i);
      matrices.push_back({x[0], x[1], x[2], x[3]});
    }
    for (const auto& [spec, chunk] : order_cases(count)) {
      const Text expected = testing::reduced(std::span<const Text>(letters), chunk, Concatenate());
      for_every_plan(spec, letters, Reduction<Text, Concatenate>{},
                     [&](const Text& result) { CHECK(result.str() == expected.str()); });
      const RealMatrix product =
          testing::reduced(std::span<const RealMatrix>(matrices), chunk, Multiply());
      for_every_plan(spec, matrices, Reduction<RealMatrix, Multiply>{},
                     [&](const RealMatrix& result) { CHECK(result == product); });
    }
  }
}

TEST_CASE("operators that are associative take any bracketing, but keep the order") {
  const std::size_t count = 100;
  std::vector<IntegerMatrix> matrices;
  std::uint64_t seed = 1;
  for (std::size_t i = 0; i < count; ++i) {
    const auto next = [&] { return seed = seed * 6364136223846793005u + 1442695040888963407u; };
    matrices.push_back({next(), next(), next(), next()});
  }
  const IntegerMatrix expected =
      std::accumulate(matrices.begin() + 1, matrices.end(), matrices.front(), Multiply());
  for (const char* const order : {"associative", "tree", "chunked-tree:7"}) {
    for_every_plan(order, matrices, Reduction<IntegerMatrix, Multiply, true>{},
                   [&](const IntegerMatrix& result) { CHECK(result == expected); });
  }
}

TEST_CASE("the associative order is refused for a sum of floats") {
  const Communicator world(MPI_COMM_WORLD);
  const auto distribution = make_distribution("lower", 100, world.size());
  CHECK_THROWS_WITH(PlannedReduction<>(MPI_COMM_WORLD, make_order("associative", 100), distribution,
                                       *make_plan("aggregated"), {}),
                    Catch::Contains("leaves the bracketing open"));
}

}  // namespace orders_mpi_test
