// SPDX-License-Identifier: MIT

#include <limits>
#include <random>

#include "bracket/runtime/accumulator.hpp"
#include "bracket/runtime/any_reducer.hpp"
#include "bracket/runtime/reducer.hpp"
#include "bracket/support/error.hpp"
#include "support/catch.hpp"
#include "support/hostile.hpp"
#include "support/pre_rounded_reference.hpp"
#include "support/reference.hpp"
#include "support/world.hpp"

namespace two_reductions_mpi_test {

using namespace bracket;
using Catch::Contains;
using testing::bits;
using testing::world;

namespace {

Settings by(const std::string& algorithm) {
  Settings settings;
  settings.algorithm = algorithm;
  return settings;
}

std::vector<double> widened(const std::vector<double>& elements) { return elements; }
std::vector<double> widened(const std::vector<float>& elements) {
  return {elements.begin(), elements.end()};
}

}  // namespace

TEMPLATE_TEST_CASE("pre-rounded sums are their definition's on any ranks", "", float, double) {
  std::mt19937_64 random(11);
  int way = 0;
  for (const auto& kind : testing::binned_kinds) {
    CAPTURE(kind.name);
    for (const std::size_t count : {0, 1, 2, 5, 900}) {
      std::vector<TestType> elements;
      for (const double element : kind.elements(count, count + 1)) {
        elements.push_back(static_cast<TestType>(element));
      }
      std::vector<TestType> own;
      if (count > 0) {
        own = testing::own_part(elements,
                                testing::random_distribution(static_cast<Index>(count), random));
      }
      Settings settings = by(std::vector{"pre-rounded", "pre-rounded:1", "pre-rounded:4"}[way % 3]);
      settings.plan = std::vector{"", "butterfly", "aggregated", "ring"}[way % 4];
      settings.threads = way % 2 + 1;
      if (way % 5 == 0) settings.root = world().size() - 1;
      const int levels = std::vector{2, 1, 4}[way++ % 3];
      Reducer<TestType> sum(MPI_COMM_WORLD, Layout::contiguous(static_cast<Index>(own.size())),
                            settings);
      const auto expected = testing::pre_rounded_sum<TestType>(widened(elements), levels);
      for (int run = 0; run < 2; ++run) {
        const auto result = sum.run(own);
        CHECK(result.has_value() == sum.delivers());
        if (result) CHECK(bits(*result) == bits(expected));
      }
      CHECK(sum.elements() == static_cast<Index>(count));
    }
  }
}

TEST_CASE("pre-rounded fields have levels of their own, and may be products with ghosts") {
  const Index own = 3 + world().rank();
  const Layout rows{{own, 7}, {{0, own}, {1, 6}}, {}};
  std::vector<double> x(static_cast<std::size_t>(7 * own), std::numeric_limits<double>::infinity());
  std::vector<double> y(x.size(), 1e300);
  std::vector<double> all_x;
  std::vector<double> products;
  for (Rank rank = 0; rank < world().size(); ++rank) {
    for (Index i = 0; i < 3 + rank; ++i) {
      for (Index j = 1; j < 6; ++j) {
        const double element = 1.0 / static_cast<double>(i + j + 7 * rank);
        const double factor = std::ldexp(element, static_cast<int>(40 * j));
        all_x.push_back(element);
        products.push_back(element * factor);
        if (rank != world().rank()) continue;
        x[static_cast<std::size_t>(7 * i + j)] = element;
        y[static_cast<std::size_t>(7 * i + j)] = factor;
      }
    }
  }
  const auto reducer = make_reducer(MPI_COMM_WORLD, Type::float64, Op::sum,
                                    {Field(rows), Field::products(rows, rows)}, by("pre-rounded"));
  double results[2] = {};
  const auto bytes = x.size() * sizeof(double);
  const auto arrays = [&](std::size_t field) {
    FieldArrays of{.elements = x.data(), .element_bytes = bytes};
    if (field == 1) {
      of.factors = y.data();
      of.factor_bytes = bytes;
    }
    return of;
  };
  for (int run = 0; run < 3; ++run) {
    reducer->start(2, arrays, results, 2);
    CHECK_THROWS_WITH(reducer->start(2, arrays, results, 2), Contains("a run is under way"));
    CHECK_THROWS_WITH(reducer->move(0, rows), Contains("a run is under way"));
    if (run == 1) {
      while (!reducer->test()) {
      }
    }
    reducer->wait();
    CHECK(reducer->test());
    CHECK(bits(results[0]) == bits(testing::pre_rounded_sum(all_x, 2)));
    CHECK(bits(results[1]) == bits(testing::pre_rounded_sum(products, 2)));
  }
  CHECK(reducer->messages_sent() > (world().size() > 1 ? 0 : -1));
  CHECK_THROWS_WITH(reducer->accuracy(0), Contains("only the algorithm stochastic"));
}

TEST_CASE("what is wrong on one rank ends a pre-rounded sum on all") {
  const Rank last = world().size() - 1;
  const bool wrong = world().rank() == last;
  const std::vector<double> own(5, 1.0);
  for (const bool in_second : {false, true}) {
    Reducer<double> sum(MPI_COMM_WORLD, Layout::contiguous(5), by("pre-rounded"));
    CHECK(sum.run(own) == 5.0 * world().size());
    const auto run = [&] {
      const FieldArrays arrays{.elements = own.data(), .element_bytes = 5 * sizeof(double)};
      return arrays;
    };
    const auto reducer = make_reducer(MPI_COMM_WORLD, Type::float64, Op::sum,
                                      {Field(Layout::contiguous(5))}, by("pre-rounded"));
    double result = 0;
    // Room for results is looked at in the second reduction, arrays in the first one.
    const auto use = [&] {
      reducer->run(
          1, [&](std::size_t) { return wrong && !in_second ? FieldArrays{} : run(); }, &result,
          wrong && in_second ? 0 : 1);
    };
    const std::string words = in_second ? "room for 0 result(s), there are 1" : "field 0";
    if (wrong || world().size() == 1) {
      CHECK_THROWS_WITH(use(), Contains(words));
    } else {
      // A rank that already has its result gets the error in its next run.
      const auto again = [&] {
        use();
        use();
      };
      CHECK_THROWS_WITH(again(), Contains(words));
    }
    CHECK_THROWS(use());
  }
  CHECK_THROWS_AS(
      Reducer<double>(MPI_COMM_WORLD, Layout::contiguous(wrong ? -1 : 1), by("pre-rounded")),
      CollectiveError);
}

TEST_CASE("a root that fails in the sums ends the next run of ranks that have sent theirs") {
  const Rank root = world().size() - 1;
  const std::vector<double> own(5, 1.0);
  Settings settings = by("pre-rounded");
  settings.root = root;
  settings.plan = "aggregated";
  const auto reducer = make_reducer(MPI_COMM_WORLD, Type::float64, Op::sum,
                                    {Field(Layout::contiguous(5))}, settings);
  double result = 0;
  const auto run = [&](std::size_t room) {
    const FieldArrays arrays{.elements = own.data(), .element_bytes = 5 * sizeof(double)};
    reducer->run(
        1, [&](std::size_t) { return arrays; }, &result, room);
  };
  run(1);
  if (world().rank() == root) {
    CHECK(result == 5.0 * world().size());
    CHECK_THROWS_WITH(run(0), Contains("room for 0 result(s), there are 1"));
  } else {
    const auto again = [&] {
      run(1);
      run(1);
    };
    CHECK_THROWS_WITH(again(), Contains("room for 0 result(s), there are 1"));
  }
  CHECK_THROWS(run(1));
}

TEST_CASE("what pre-rounded does not reduce is refused, and says what does") {
  const std::vector<double> own(3, 1.0);
  CHECK_THROWS_WITH(
      (Reducer<std::complex<double>>(MPI_COMM_WORLD, Layout::contiguous(1), by("pre-rounded"))),
      Contains("is for real numbers, not for complex128: take binned"));
  CHECK_THROWS_WITH(make_reducer(MPI_COMM_WORLD, Type::float64, Op::maximum,
                                 {Field(Layout::contiguous(1))}, by("pre-rounded")),
                    Contains("pre-rounded:2 is for sums"));
  CHECK_THROWS_WITH(Accumulator<double>(by("pre-rounded")), Contains("elements twice: use binned"));
  Settings emulated = by("pre-rounded");
  emulated.memory = "emulated";
  Reducer<double> sum(MPI_COMM_WORLD, Layout::contiguous(3), emulated);
  CHECK_THROWS_WITH(sum.run(own), Contains("devices have no pre-rounded sums: take binned"));
}

}  // namespace two_reductions_mpi_test
