// SPDX-License-Identifier: MIT

#include "bracket/model/loggp.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/support/error.hpp"
#include "support/catch.hpp"

namespace threads_test {

using namespace bracket;
using Catch::Approx;
using Catch::Contains;

namespace {

constexpr double ns = 1e-9;
constexpr double us = 1e-6;

double makespan(const Machine& machine, Index elements, Rank ranks, Index items = 1) {
  const Distribution held = upper_distribution(elements, ranks);
  return paper_cost(
             make_schedule(make_order("tree", elements), held, *make_plan("direct"), {}, items),
             machine)
      .makespan;
}

/// One number takes 1 ns, or 1.5 ns if two ranks fold, and 2 ns if four do.
Machine measured_machine() {
  Machine machine;
  MeasuredWork& work = machine.work.emplace();
  work.folds = {{1, ns}, {1'000'000, 1000 * us}};
  work.folds_together = {{2, {{1, 1.5 * ns}, {1'000'000, 1500 * us}}},
                         {4, {{1, 2 * ns}, {1'000'000, 2000 * us}}}};
  work.wakes = {{2, 5 * us}, {4, 9 * us}};
  return machine;
}

}  // namespace

TEST_CASE("threads divide the additions of a machine without measured work") {
  const Machine machine{.seconds_per_addition = 10 * ns};
  CHECK(makespan(machine.on_threads(1), 100'001, 1) == Approx(1000 * us));
  CHECK(makespan(machine.on_threads(2), 100'001, 1) == Approx(500 * us));
  CHECK(makespan(machine.on_threads(4), 100'001, 1) == Approx(250 * us));
  // Fewer than 128 KiB are not shared: 16 384 elements of 8 bytes, 32 768 of 4.
  CHECK(makespan(machine.on_threads(2), 16'383, 1) == Approx(16'382 * 10 * ns));
  CHECK(makespan(machine.on_threads(2), 16'384, 1) == Approx(16'383 * 5 * ns));
  const Machine narrow = machine.computing(make_operation("sum/float32"));
  CHECK(makespan(narrow.on_threads(2), 32'767, 1) == Approx(32'766 * 10 * ns));
  CHECK(makespan(narrow.on_threads(2), 32'768, 1) == Approx(32'767 * 5 * ns));
  CHECK_THROWS_WITH(machine.on_threads(0), Contains("0 threads"));
}

TEST_CASE("threads fold at the speed of as many ranks, and have to be woken") {
  const Machine machine = measured_machine();
  const MeasuredWork two = *machine.on_threads(2).work;
  CHECK(two.fold(1000) == Approx(1 * us));
  CHECK(two.fold(16'383) == Approx(16'383 * ns));
  CHECK(two.fold(16'384) == Approx(5 * us + 8192 * 1.5 * ns));
  CHECK(two.fold(1'000'000) == Approx(755 * us));
  CHECK(two.fold(2'000'000) == Approx(1505 * us));
  // Two ranks of two threads are four that fold.
  REQUIRE(two.folds_together.size() == 1);
  CHECK(two.folds_together[0].ranks == 2);
  CHECK(two.fold(1'000'000, 2) == Approx(1005 * us));
  CHECK(machine.on_threads(4).work->folds_together.empty());
  CHECK(machine.on_threads(4).work->fold(1'000'000) == Approx(509 * us));
  CHECK(machine.on_threads(1).work == machine.work);
  CHECK(makespan(machine.on_threads(2), 1'000'000, 1) == Approx(755 * us));
  machine.on_threads(2).check();
}

TEST_CASE("the runtime's blocks limit what threads gain") {
  Machine machine = measured_machine();
  MeasuredWork& work = *machine.work;
  // A fold of 128 elements takes longer for each element: at 16 384 elements, each of two threads
  // folds 64 such blocks. Then 127 joins follow.
  work.folds = {{1, ns}, {128, 400 * ns}, {1'000'000, 1000 * us}};
  work.seconds_per_join = 2 * ns;
  CHECK(machine.on_threads(2).work->fold(16'384) ==
        Approx(5 * us + 64 * 400 * ns + 127 * 2 * ns).epsilon(1e-3));
}

TEST_CASE("threads share the numbers of vectors") {
  Machine machine = measured_machine();
  machine.work->vector_folds = {{64, 256 * ns}, {8192, 32 * us}, {65'536, 300 * us}};
  const Machine two = machine.on_threads(2);
  CHECK(two.work->vector_folds ==
        std::vector<OperationTimes::Fold>{
            {64, 256 * ns}, {8192, 32 * us}, {16'384, 37 * us}, {131'072, 305 * us}});
  two.check();

  // Two threads are as slow as two ranks that fold at once, and two ranks of two threads as four.
  machine.work->folds_together[0].vector_folds = {{64, 256 * ns}, {8192, 40 * us}};
  machine.work->folds_together[1].vector_folds = {{64, 512 * ns}, {8192, 64 * us}};
  const Machine slower = machine.on_threads(2);
  CHECK(slower.work->vector_folds[1].seconds == Approx(32 * us));
  CHECK(slower.work->vector_folds[2].seconds == Approx(45 * us));
  CHECK(slower.work->folds_together[0].vector_folds[2].seconds == Approx(69 * us));
  slower.check();
}

TEST_CASE("threads share received partials") {
  Machine machine = measured_machine();
  CHECK(machine.on_threads(2).work->partial_folds.empty());
  machine.work->partial_folds = {{64, 256 * ns}, {8192, 32 * us}, {65'536, 300 * us}};
  const Machine two = machine.on_threads(2);
  CHECK(two.work->partial_folds ==
        std::vector<OperationTimes::Fold>{
            {64, 256 * ns}, {8192, 32 * us}, {16'384, 37 * us}, {131'072, 305 * us}});
  two.check();
}

TEST_CASE("waking threads takes the measured time") {
  MeasuredWork work;
  CHECK(work.wake(2) == 0);
  work.wakes = {{2, 5}, {4, 9}};
  CHECK(work.wake(1) == 0);
  CHECK(work.wake(2) == 5);
  CHECK(work.wake(3) == 7);
  CHECK(work.wake(4) == 9);
  CHECK(work.wake(64) == 9);
}

}  // namespace threads_test
