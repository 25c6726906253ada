// SPDX-License-Identifier: MIT

#include <unistd.h>

#include <memory>
#include <random>

#include "bracket/support/text.hpp"
#include "support/catch.hpp"
#include "support/hostile.hpp"
#include "support/planned_reduction.hpp"
#include "support/reference.hpp"
#include "support/world.hpp"

namespace nonblocking_mpi_test {

using namespace bracket;
using namespace bracket::runtime;
using testing::bits;
using testing::own_part;
using testing::PlannedReduction;
using testing::tree_sum;
using testing::world;

namespace {

std::vector<std::string> scheduled_plans() {
  std::vector<std::string> names;
  for (const auto& row : plans()) {
    if (make_plan(row.entry.name)->scheduled()) names.emplace_back(row.entry.name);
  }
  return names;
}

struct Run {
  std::unique_ptr<PlannedReduction<>> reducer;
  std::vector<double> own;
  double expected = 0;
  double result = 0;
};

}  // namespace

TEST_CASE("runs of all plans under way at once end with the serial bits, tested in any order") {
  std::mt19937_64 random(20221201);
  for (int repetition = 0; repetition < 3; ++repetition) {
    std::vector<Run> runs;
    for (const auto& name : scheduled_plans()) {
      const auto count = static_cast<std::size_t>(1 + random() % 3000);
      const auto elements =
          testing::hostile_elements(testing::Hostile::cancelling, count, random());
      const auto order = make_order("tree", static_cast<Index>(count));
      const auto distribution = testing::random_distribution(static_cast<Index>(count), random);
      runs.push_back({std::make_unique<PlannedReduction<>>(MPI_COMM_WORLD, order, distribution,
                                                           *make_plan(name), Delivery::to_all()),
                      own_part(elements, distribution), tree_sum(elements)});
    }
    for (auto& run : runs) run.reducer->start(run.own, {&run.result, 1});
    // Each rank tests the reducers in a different order.
    std::mt19937_64 own_random(static_cast<std::uint64_t>(world().rank()));
    std::vector<std::size_t> turns(runs.size());
    for (std::size_t i = 0; i < turns.size(); ++i) turns[i] = i;
    std::shuffle(turns.begin(), turns.end(), own_random);
    for (bool all = false; !all;) {
      all = true;
      for (const std::size_t i : turns) all &= runs[i].reducer->test();
      if (!all) usleep(10);
    }
    for (auto& run : runs) {
      CHECK(bits(run.result) == bits(run.expected));
      CHECK(run.reducer->test());
      run.reducer->wait();  // no run is under way
      CHECK(bits(run.reducer->run(run.own).value()) == bits(run.expected));
    }
  }
}

TEST_CASE("native's runs under way beside each other end with the serial bits") {
  std::mt19937_64 random(3);
  struct NativeRun {
    std::unique_ptr<PlannedReduction<>> reducer;
    std::vector<double> own;
    double expected = 0;
    double result = 0;
  };
  std::vector<NativeRun> runs;
  for (int i = 0; i < 5; ++i) {
    const auto count = static_cast<std::size_t>(1 + random() % 3000);
    const auto elements = testing::hostile_elements(testing::Hostile::cancelling, count, random());
    const auto order = make_order("tree", static_cast<Index>(count));
    const auto distribution = testing::random_distribution(static_cast<Index>(count), random);
    runs.push_back({std::make_unique<PlannedReduction<>>(
                        MPI_COMM_WORLD, Problem{order, distribution, Delivery::to_all()},
                        *make_plan("native")),
                    own_part(elements, distribution), tree_sum(elements)});
  }
  for (auto& run : runs) run.reducer->start(run.own, {&run.result, 1});
  for (std::size_t i = runs.size(); i-- > 0;) {
    while (!runs[i].reducer->test()) usleep(10);
    CHECK(bits(runs[i].result) == bits(runs[i].expected));
    runs[i].reducer->wait();
    runs[i].reducer->start(runs[i].own, {&runs[i].result, 1});
  }
  for (auto& run : runs) {
    run.reducer->wait();
    CHECK(run.reducer->test());
    CHECK(bits(run.result) == bits(run.expected));
    CHECK(bits(run.reducer->run(run.own).value()) == bits(run.expected));
  }
}

TEST_CASE("start returns although rank 0 has not started") {
  const auto order = make_order("tree", 1000);
  const auto distribution = make_distribution("upper", 1000, world().size());
  const std::vector<double> elements(1000, 0.1);
  const auto own = own_part(elements, distribution);
  for (const auto& name : scheduled_plans()) {
    PlannedReduction<> reducer(MPI_COMM_WORLD, order, distribution, *make_plan(name),
                               Delivery::to_all());
    double result = 0;
    if (world().rank() > 0) reducer.start(own, {&result, 1});
    barrier(world());
    if (world().rank() == 0) reducer.start(own, {&result, 1});
    reducer.wait();
    CHECK(bits(result) == bits(tree_sum(elements)));
  }
}

TEST_CASE("a second start is refused while a run is under way, which goes on") {
  const auto order = make_order("tree", 100);
  const auto distribution = make_distribution("upper", 100, world().size());
  const std::vector<double> elements(100, 0.3);
  const auto own = own_part(elements, distribution);
  PlannedReduction<> reducer(MPI_COMM_WORLD, order, distribution, *make_plan("butterfly"),
                             Delivery::to_all());
  double result = 0;
  if (world().rank() == 0) {
    reducer.start(own, {&result, 1});
    if (world().size() > 1) {
      CHECK(!reducer.test());
      CHECK_THROWS_WITH(reducer.start(own, {&result, 1}), Catch::Contains("under way"));
    }
  }
  barrier(world());
  if (world().rank() > 0) reducer.start(own, {&result, 1});
  reducer.wait();
  CHECK(bits(result) == bits(tree_sum(elements)));
}

namespace {

/// Fails on one rank if requested.
struct Failing {
  static inline bool fails = false;
  double operator()(double left, double right) const {
    if (fails) throw Error("the operator failed");
    return left + right;
  }
};

template <class Operation>
std::unique_ptr<PlannedReduction<Operation>> make_butterfly(Index count, Index items) {
  return std::make_unique<PlannedReduction<Operation>>(
      MPI_COMM_WORLD,
      Problem{make_order("tree", count), make_distribution("upper", count, world().size()),
              Delivery::to_all(), items},
      *make_plan("butterfly"));
}

/// This rank's elements, all equal to `value`.
std::vector<double> own_ones(Index count, Index items, double value) {
  const auto distribution = make_distribution("upper", count, world().size());
  return std::vector<double>(
      static_cast<std::size_t>(distribution.range(world().rank()).size() * items), value);
}

}  // namespace

TEST_CASE("an operator that fails on one rank ends the run on all") {
  using Sum = Reduction<double, Failing>;
  const Index count = 16 * world().size();
  const Rank failing = world().size() - 1;
  const std::string words = text("rank ", failing, ": the operator failed");
  for (const bool blocking : {false, true}) {
    auto reducer = make_butterfly<Sum>(count, 1);
    const auto own = own_ones(count, 1, 1);
    CHECK(reducer->run(own).value() == static_cast<double>(count));
    Failing::fails = world().rank() == failing;
    double result = 0;
    const auto run = [&] {
      reducer->start(own, {&result, 1});
      if (blocking) reducer->wait();
      while (!reducer->test()) {
      }
    };
    if (Failing::fails) {
      CHECK_THROWS_WITH(run(), Catch::Equals("the operator failed"));
    } else {
      CHECK_THROWS_WITH(run(), Catch::Equals(words));
    }
    Failing::fails = false;
    CHECK_THROWS_WITH(reducer->test(), Catch::Contains("an earlier run failed"));
  }
  barrier(world());
}

TEST_CASE("messages of a run that was given up reach no later reducer") {
  using Sum = Reduction<double, Failing>;
  const Index count = 16 * world().size();
  for (const bool by_throwing : {false, true}) {
    {
      auto reducer = make_butterfly<Sum>(count, 1);
      const auto own = own_ones(count, 1, 100);
      double result = 0;
      if (by_throwing && world().rank() == 0) Failing::fails = true;
      try {
        reducer->start(own, {&result, 1});
      } catch (const Error&) {
        CHECK_THROWS_WITH(reducer->test(), Catch::Contains("an earlier run failed"));
        CHECK_THROWS_WITH(reducer->wait(), Catch::Contains("an earlier run failed"));
      }
      Failing::fails = false;
      barrier(world());
      reducer.reset();  // a run is under way on most ranks
    }
    auto reducer = make_butterfly<Sum>(count, 1);
    const auto own = own_ones(count, 1, 1);
    CHECK(reducer->run(own).value() == static_cast<double>(count));
  }
}

TEST_CASE("a message arrives although the reducer that sent it is gone") {
  if (world().size() != 2) return;
  const Index items = 400000;  // more than MPI sends eagerly
  const Index count = 2;
  auto reducer = make_butterfly<DoubleSum>(count, items);
  const auto own = own_ones(count, items, 3);
  std::vector<double> result(static_cast<std::size_t>(items));
  reducer->start(own, result);
  if (world().rank() == 1) {
    reducer.reset();
    const std::vector<double> over(static_cast<std::size_t>(4 * items), 7.0);  // perhaps over it
    barrier(world());
    return;
  }
  // Half of the items come from the other rank only after further exchanges. Check the items only
  // if they have come.
  for (int i = 0; i < 100 && !reducer->test(); ++i) usleep(100);
  barrier(world());
  if (reducer->test()) {
    CHECK(std::all_of(result.begin(), result.end(), [](double item) { return item == 6; }));
  }
}

}  // namespace nonblocking_mpi_test
