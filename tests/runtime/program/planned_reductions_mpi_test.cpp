// SPDX-License-Identifier: MIT

#include <algorithm>
#include <cstdlib>
#include <random>

#include "bracket/model/json.hpp"
#include "bracket/model/verify.hpp"
#include "bracket/support/error.hpp"
#include "support/catch.hpp"
#include "support/hostile.hpp"
#include "support/planned_reduction.hpp"
#include "support/reference.hpp"
#include "support/world.hpp"

namespace planned_reductions_mpi_test {

using namespace bracket;
using namespace bracket::runtime;
using testing::bits;
using testing::PlannedReduction;
using testing::random_distribution;
using testing::tree_sum;
using testing::world;

namespace {

const std::vector<std::string> plan_specs{"direct", "buffered", "buffered:2:8", "aggregated",
                                          "aggregated:3"};
const std::vector<std::string> distribution_specs{"lower", "upper", "power2", "optimized:0.2"};

/// Reduces and compares with the serial reference on all ranks that get the result.
void check_bits(PlannedReduction<>& reducer, const ScheduleHeader& asked,
                const std::vector<double>& elements) {
  const Range held = asked.distribution.range(world().rank());
  const std::vector<double> own(elements.begin() + held.begin, elements.begin() + held.end);
  const auto before = own;
  const auto sum = reducer.run(own);
  const bool due = !asked.delivery.wanted(world().rank(), world().size(), 1).empty();
  CAPTURE(asked.plan, asked.elements(), world().rank());
  REQUIRE(sum.has_value() == due);
  if (sum) CHECK(bits(*sum) == bits(tree_sum(elements)));
  CHECK(std::equal(own.begin(), own.end(), before.begin(),
                   [](double a, double b) { return bits(a) == bits(b); }));
}

}  // namespace

TEST_CASE("every plan and distribution gives the serial bits") {
  for (const std::size_t count : {1, 2, 3, 5, 13, 64, 65, 1000, 4097}) {
    const auto order = make_order("tree", static_cast<Index>(count));
    for (const auto kind : {testing::Hostile::uniform, testing::Hostile::specials}) {
      const auto elements = testing::hostile_elements(kind, count, count);
      for (const auto& distribution_spec : distribution_specs) {
        const auto distribution =
            make_distribution(distribution_spec, static_cast<Index>(count), world().size());
        for (const auto& plan_spec : plan_specs) {
          for (const Delivery delivery :
               {Delivery::to(0), Delivery::to(world().size() - 1), Delivery::to_all()}) {
            const auto plan = make_plan(plan_spec);
            PlannedReduction<> reducer(MPI_COMM_WORLD, order, distribution, *plan, delivery);
            check_bits(reducer, {"tree", 1, plan_spec, distribution, delivery}, elements);
          }
        }
      }
    }
  }
}

TEST_CASE("hostile elements on random distributions give the serial bits with each kernel") {
  std::mt19937_64 random(42);
  for (const auto kind : testing::all_hostile) {
    for (int repetition = 0; repetition < 6; ++repetition) {
      const auto count = static_cast<std::size_t>(1 + random() % 3000);
      const auto elements = testing::hostile_elements(kind, count, random());
      const auto distribution = random_distribution(static_cast<Index>(count), random);
      const auto order = make_order("tree", static_cast<Index>(count));
      for (const auto& kernel : kernels()) {
        if (!kernel.supported()) continue;
        const auto plan_spec = plan_specs[random() % plan_specs.size()];
        const auto plan = make_plan(plan_spec);
        PlannedReduction<> reducer(MPI_COMM_WORLD, order, distribution, *plan, Delivery::to_all(),
                                   DoubleSum{&kernel});
        check_bits(reducer, {"tree", 1, plan_spec, distribution, Delivery::to_all()}, elements);
      }
    }
  }
}

TEST_CASE("a reducer is reused, several side by side, and counts what it sends") {
  const Index count = 2500;
  const auto order = make_order("tree", count);
  const auto distribution = make_distribution("lower", count, world().size());
  std::vector<Schedule> schedules;
  std::vector<std::unique_ptr<PlannedReduction<>>> reducers;
  for (const auto& spec : plan_specs) {
    schedules.push_back(make_schedule(order, distribution, *make_plan(spec)));
    reducers.push_back(std::make_unique<PlannedReduction<>>(MPI_COMM_WORLD, schedules.back()));
  }
  constexpr int runs = 20;
  for (int run = 0; run < runs; ++run) {
    for (std::size_t i = 0; i < reducers.size(); ++i) {
      const auto elements = testing::hostile_elements(
          testing::Hostile::uniform, static_cast<std::size_t>(count), run * 100 + i);
      check_bits(*reducers[i], schedules[i], elements);
    }
  }
  for (std::size_t i = 0; i < reducers.size(); ++i) {
    const auto& part = schedules[i].parts[static_cast<std::size_t>(world().rank())];
    CHECK(reducers[i]->messages_sent() == runs * part.messages());
    CHECK(verify(schedules[i]).ok());
  }
}

TEST_CASE("a schedule and its plan do the same, also after a journey as JSON") {
  const Index count = 777;
  const auto order = make_order("tree", count);
  const auto distribution = make_distribution("upper", count, world().size());
  const auto plan = make_plan("buffered");
  const auto schedule = make_schedule(order, distribution, *plan, Delivery::to_all());
  const auto elements = testing::hostile_elements(testing::Hostile::uniform, 777, 9);
  PlannedReduction<> from_plan(MPI_COMM_WORLD, order, distribution, *plan, Delivery::to_all());
  PlannedReduction<> from_schedule(MPI_COMM_WORLD, schedule);
  check_bits(from_plan, schedule, elements);
  check_bits(from_schedule, schedule, elements);
  CHECK(from_plan.messages_sent() == from_schedule.messages_sent());
}

TEST_CASE("a sub-communicator reduces on its own") {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, world().rank() % 2, world().rank(), &half);
  int size = 0;
  int rank = 0;
  MPI_Comm_size(half, &size);
  MPI_Comm_rank(half, &rank);
  const auto elements = testing::hostile_elements(testing::Hostile::cancelling, 300, 3);
  const auto distribution = make_distribution("lower", 300, size);
  {
    PlannedReduction<> reducer(half, make_order("tree", 300), distribution,
                               *make_plan("aggregated"), Delivery::to_all());
    const Range held = distribution.range(rank);
    const std::vector<double> own(elements.begin() + held.begin, elements.begin() + held.end);
    CHECK(bits(reducer.run(own).value()) == bits(tree_sum(elements)));
  }
  MPI_Comm_free(&half);
}

TEST_CASE("misuse is refused on every rank") {
  const auto order = make_order("tree", 100);
  const auto plan = make_plan("direct");
  const auto fitting = make_distribution("lower", 100, world().size());
  const auto too_many = make_distribution("lower", 100, world().size() + 1);
  CHECK_THROWS_WITH(PlannedReduction<>(MPI_COMM_WORLD, order, too_many, *plan, {}),
                    Catch::Contains("the communicator has"));
  if (world().size() > 1) {
    const auto other = make_distribution("power2", 100, world().size());
    CHECK_THROWS_WITH(
        PlannedReduction<>(MPI_COMM_WORLD, order, world().rank() == 0 ? other : fitting, *plan, {}),
        Catch::Contains("different"));
    auto broken = make_schedule(order, fitting, *plan);
    broken.parts.back() = {};
    broken.parts.back().send(0, {{Partial(Range{0, 1})}});
    CHECK_THROWS_WITH(PlannedReduction<>(MPI_COMM_WORLD, broken),
                      Catch::Contains("no step yields [0,1)"));
  }
}

TEST_CASE("what does not fit is refused on every rank") {
  const auto order = make_order("tree", 100);
  const auto plan = make_plan("direct");
  const auto fitting = make_distribution("lower", 100, world().size());
  CHECK_THROWS_WITH(PlannedReduction<>(MPI_COMM_WORLD, order, fitting, *plan, Delivery::to(99)),
                    Catch::Contains("root 99"));
  auto schedule = make_schedule(order, fitting, *plan);
  schedule.order_version = 7;
  CHECK_THROWS_WITH(PlannedReduction<>(MPI_COMM_WORLD, schedule), Catch::Contains("version 7"));
  schedule = make_schedule(order, fitting, *plan);
  schedule.parts.clear();
  CHECK_THROWS_WITH(PlannedReduction<>(MPI_COMM_WORLD, schedule), Catch::Contains("0 parts"));
}

TEST_CASE("a kernel that only one rank asks for in vain is refused on every rank") {
  if (world().rank() == 0) setenv("BRACKET_KERNEL", "abacus", 1);
  const auto distribution = make_distribution("lower", 100, world().size());
  CHECK_THROWS_WITH(PlannedReduction<>(MPI_COMM_WORLD, make_order("tree", 100), distribution,
                                       *make_plan("direct"), {}),
                    Catch::Contains("abacus"));
  unsetenv("BRACKET_KERNEL");
}

TEST_CASE("an exception without words or of any type is a failure too") {
  struct Wordless : std::exception {
    const char* what() const noexcept override { return ""; }
  };
  CHECK_THROWS_AS(together(world(), [] { throw Wordless(); }), CollectiveError);
  CHECK_THROWS_AS(together(world(), [] { throw 5; }), CollectiveError);
}

TEST_CASE("one rank's failure reaches all, with its number") {
  const Rank last = world().size() - 1;
  const auto fail_on = [&](bool fails) {
    together(world(), [&] {
      if (fails) throw Error("no such element");
    });
  };
  CHECK_NOTHROW(fail_on(false));
  CHECK_THROWS_WITH(fail_on(true), Catch::Equals("no such element"));
  if (last > 0) {
    CHECK_THROWS_WITH(fail_on(world().rank() == last),
                      Catch::Equals("rank " + std::to_string(last) + ": no such element"));
  }
}

}  // namespace planned_reductions_mpi_test
