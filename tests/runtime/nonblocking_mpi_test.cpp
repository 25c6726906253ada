#include <unistd.h>

#include <memory>
#include <random>

#include "bracket/runtime/executor.hpp"
#include "support/catch.hpp"
#include "support/hostile.hpp"
#include "support/reference.hpp"
#include "support/world.hpp"

using namespace bracket;
using testing::bits;
using testing::own_part;
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
  std::unique_ptr<Executor<>> executor;
  std::vector<double> own;
  double expected = 0;
  double result = 0;
};

}  // namespace

TEST_CASE("runs of all plans under way at once end with the serial bits, in any order") {
  std::mt19937_64 random(20221201);
  for (int repetition = 0; repetition < 3; ++repetition) {
    std::vector<Run> runs;
    for (const auto& name : scheduled_plans()) {
      const auto count = static_cast<std::size_t>(1 + random() % 3000);
      const auto elements =
          testing::hostile_elements(testing::Hostile::cancelling, count, random());
      const auto order = make_order("tree", static_cast<Index>(count));
      const auto distribution = testing::random_distribution(static_cast<Index>(count), random);
      runs.push_back({std::make_unique<Executor<>>(MPI_COMM_WORLD, *order, distribution,
                                                   *make_plan(name), Delivery::to_all()),
                      own_part(elements, distribution), tree_sum(elements)});
    }
    for (auto& run : runs) run.executor->start(run.own, {&run.result, 1});
    // Each rank waits for them in an order of its own.
    std::mt19937_64 own_random(static_cast<std::uint64_t>(world().rank()));
    std::vector<std::size_t> turns(runs.size());
    for (std::size_t i = 0; i < turns.size(); ++i) turns[i] = i;
    std::shuffle(turns.begin(), turns.end(), own_random);
    for (bool all = false; !all;) {
      all = true;
      for (const std::size_t i : turns) all &= runs[i].executor->test();
      if (!all) usleep(10);
    }
    for (auto& run : runs) {
      CHECK(bits(run.result) == bits(run.expected));
      CHECK(run.executor->test());
      run.executor->wait();  // nothing is under way
      CHECK(bits(run.executor->run(run.own).value()) == bits(run.expected));
    }
  }
}

TEST_CASE(
    "start returns although others are late, and they need nothing from the caller's thread") {
  // Rank 0 comes late. The others have started by then, and compute.
  const auto order = make_order("tree", 1000);
  const auto distribution = make_distribution("upper", 1000, world().size());
  const std::vector<double> elements(1000, 0.1);
  const auto own = own_part(elements, distribution);
  for (const auto& name : scheduled_plans()) {
    Executor<> executor(MPI_COMM_WORLD, *order, distribution, *make_plan(name), Delivery::to_all());
    barrier(world());
    double result = 0;
    if (world().rank() == 0) usleep(20000);
    const double start = MPI_Wtime();
    executor.start(own, {&result, 1});
    const double taken = MPI_Wtime() - start;
    // With more ranks than cores a rank may get no core for a while.
    if (world().rank() > 0 && world().size() <= 2) CHECK(taken < 0.015);
    executor.wait();
    CHECK(bits(result) == bits(tree_sum(elements)));
  }
}

TEST_CASE("a second start is refused while a run is under way, which goes on") {
  const auto order = make_order("tree", 100);
  const auto distribution = make_distribution("upper", 100, world().size());
  const std::vector<double> elements(100, 0.3);
  const auto own = own_part(elements, distribution);
  Executor<> executor(MPI_COMM_WORLD, *order, distribution, *make_plan("butterfly"),
                      Delivery::to_all());
  double result = 0;
  executor.start(own, {&result, 1});
  if (!executor.test()) {
    CHECK_THROWS_WITH(executor.start(own, {&result, 1}), Catch::Contains("under way"));
  }
  executor.wait();
  CHECK(bits(result) == bits(tree_sum(elements)));
}

TEST_CASE("early partials leave before later ones are folded") {
  // One message for each partial, which leaves the moment it is folded.
  if (world().size() < 2) return;
  const Index count = 64 * world().size() + 1;
  const auto order = make_order("tree", count);
  const auto distribution = make_distribution("lower", count, world().size());
  for (const auto* const name : {"direct", "buffered:2:4"}) {
    const auto part = make_plan(name)->part({*order, distribution, Delivery::to(0), 1}, 1);
    std::size_t sends_before_last_fold = 0;
    std::size_t sends = 0;
    for (const Step& step : part.steps()) {
      if (step.kind == StepKind::send) ++sends;
      if (step.kind == StepKind::fold) sends_before_last_fold = sends;
    }
    CAPTURE(name, sends);
    CHECK(sends > 1);
    CHECK(sends_before_last_fold == sends - 1);
  }
}
