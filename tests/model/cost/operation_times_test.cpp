// SPDX-License-Identifier: MIT

#include "bracket/model/loggp.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/support/error.hpp"
#include "support/catch.hpp"

namespace operation_times_test {

using namespace bracket;
using Catch::Approx;
using Catch::Contains;

namespace {

/// Ten seconds for each element of a sum of float64, three for each of a binned sum.
Machine measured() {
  Machine machine;
  machine.work = MeasuredWork{{7, {{1, 10}}}, 0, {}, {}, MeasuredWork::FirstCache{4096, 1}};
  machine.operations = {{make_operation("binned:2"), {70, {{1, 3}}}},
                        {make_operation("float32"), {8, {{1, 4}}}}};
  return machine;
}

}  // namespace

TEST_CASE("a machine computes an operation in its times, with its bytes") {
  const Machine machine = measured();
  CHECK(machine.computing({}).work == machine.work);
  // The order of plain arithmetic does not change the times.
  CHECK(machine.computing({make_algorithm("sequential")}).work == machine.work);
  const Machine binned = machine.computing(make_operation("binned:2"));
  CHECK(binned.value_bytes == 40);
  CHECK(binned.element_bytes == 8);
  CHECK(binned.work->fold(5) == 15);
  CHECK(binned.work->join(2, 1) == 140);
  CHECK(binned.work->first_cache->elements == 4096);
  const Machine narrow = machine.computing(make_operation("float32"));
  CHECK(narrow.value_bytes == 4);
  CHECK(narrow.element_bytes == 4);
  CHECK(narrow.work->first_cache->elements == 8192);
  for (const char* spec : {"binned:2", "float32", "float64"}) {
    CHECK(machine.computes(make_operation(spec)));
  }
  CHECK_FALSE(machine.computes(make_operation("binned:3")));
  CHECK_THROWS_WITH(machine.computing(make_operation("binned:3")),
                    Contains("no times for binned:3/sum/float64, but for sum/float64, "
                             "binned:2/sum/float64, sum/float32: measure them with bracket "
                             "calibrate --operations binned:3/sum/float64"));
}

TEST_CASE("a machine of figures counts floating-point operations") {
  const Machine machine;
  const auto additions = [&](const char* spec) {
    const Operation operation = make_operation(spec);
    CHECK(machine.computes(operation));
    return machine.computing(operation).seconds_per_addition / machine.seconds_per_addition;
  };
  CHECK(additions("float64") == 1);
  CHECK(additions("int32") == 1);
  CHECK(additions("complex64") == 2);
  CHECK(additions("product/complex128") == 6);
  CHECK(additions("binned:3") == Approx(9));
  CHECK(additions("binned:2/complex128") == Approx(12));
  CHECK(additions("double-double") == Approx(11));
  CHECK(additions("products/float64") == 2);
  CHECK(additions("products/double-double") == Approx(12));
  CHECK(machine.computing(make_operation("maximum/float32")).seconds_per_addition ==
        machine.seconds_per_addition);
  CHECK(machine.computing(make_operation("maximum-location")).value_bytes == 16);
  // The bins of a sum do not apply to a maximum.
  CHECK(additions("binned/maximum") == 1);
  CHECK(machine.computing(make_operation("binned/maximum")).value_bytes == 8);
  Operation senseless;
  senseless.checked = true;
  CHECK_THROWS_WITH(machine.computing(senseless), Contains("checked is for integers"));
}

TEST_CASE("messages carry partials, and caches hold elements and partials") {
  Machine machine = measured();
  machine.latency = machine.overhead = machine.gap = 0;
  machine.gap_per_byte = 1;
  const auto distribution = make_distribution("upper", 8, 2);
  const auto plan = make_plan("aggregated");
  const Order order = make_order("associative", 8);
  const Schedule schedule = make_schedule(order, distribution, *plan);
  const Machine binned = machine.computing(make_operation("binned:2"));
  // Four elements, all bytes of a partial but one, and a combination.
  CHECK(paper_cost(schedule, binned).makespan == Approx(4 * 3 + 39 + 70));

  const auto leaves = [&](double cache) {
    Machine other = binned;
    other.cache_bytes = cache;
    Work work(other, distribution, 1, {});
    static_cast<void>(work.of(0, schedule.parts[0]));
    return work.leaves_caches();
  };
  // Rank 0 holds four elements of 8 bytes and receives a partial of 40.
  CHECK(leaves(4 * 8 + 40 - 1));
  CHECK_FALSE(leaves(4 * 8 + 40));
}

TEST_CASE("elements of several items are folded in the time of vectors") {
  MeasuredWork times{{3, {{1, 1}, {100, 100}}, {{2, {{1, 2}, {100, 400}}}}}};
  CHECK(times.fold(50, 1, 64) == Approx(50));
  times.vector_folds = {{64, 200}, {128, 300}};
  CHECK(times.fold(50, 1, 1) == Approx(50));
  CHECK(times.fold(50, 1, 2) == 200);
  CHECK(times.fold(96, 1, 64) == Approx(250));
  CHECK(times.fold(256, 1, 64) == Approx(600));
  // Never faster than elements of one item, here on two ranks.
  CHECK(times.fold(100, 2, 64) == Approx(400));
  // Or as measured on several ranks, and in between on a straight line.
  times.folds_together.push_back({4, {{1, 2}, {100, 400}}, {{64, 800}, {128, 1000}}});
  CHECK(times.fold(96, 4, 64) == Approx(900));
  CHECK(times.fold(96, 8, 64) == Approx(900));
  CHECK(times.fold(96, 3, 64) == Approx(250 + 650.0 / 2));
  CHECK(times.fold(96, 1, 64) == Approx(250));
  CHECK(times.fold(50, 4, 1) == Approx(times.fold(50, 2, 1)));
  times.folds_together.pop_back();

  RankPart vectors(64);
  vectors.fold(Range{0, 2});
  Machine machine;
  machine.work = times;
  CHECK(RankWork(machine, vectors, {0, 2})(vectors.steps()[0]) == Approx(300));
}

TEST_CASE("received partials are folded in a time of their own") {
  MeasuredWork times{{3, {{1, 1}, {100, 100}}, {{2, {{1, 2}, {100, 400}}}}}};
  CHECK(times.fold_partials(50, 1, 1) == times.fold(50));
  CHECK(times.fold_partials(50, 2, 1) == times.fold(50, 2));
  times.partial_folds = {{1, 10}, {100, 1000}};
  CHECK(times.fold_partials(50, 1, 1) == Approx(500));
  CHECK(times.fold_partials(50, 2, 1) == Approx(500));

  RankPart part(1);
  part.fold(Range{0, 50});
  Machine machine;
  machine.work = times;
  CHECK(RankWork(machine, part, {0, 50})(part.steps()[0]) == Approx(50));
  CHECK(RankWork(machine, part, {0, 1})(part.steps()[0]) == Approx(500));
}

TEST_CASE("complete trees of few elements are folded in a time of their own") {
  MeasuredWork times{{3, {{1, 1}, {100, 100}}, {{2, {{1, 2}, {100, 400}}}}}};
  times.complete_folds = {{32, 5}, {64, 6}};
  CHECK(times.fold(64) == 6);
  CHECK(times.fold(32, 2) == Approx(5 + (2 + 31 * 398.0 / 99) - 32));
  CHECK(times.fold(63) == Approx(63));
  CHECK(times.fold(64, 1, 2) == Approx(64));  // of two items
  CHECK(times.fold(128) == Approx(128));

  Machine machine;
  machine.work = times;
  CHECK(machine.for_values(16).work->complete_folds.empty());
  CHECK(machine.on_threads(2).work->complete_folds == times.complete_folds);
  machine.work->complete_folds.push_back({1 << 20, 1000});
  CHECK(machine.on_threads(2).work->complete_folds == times.complete_folds);  // threads share it
}

TEST_CASE("an operation starts later than the sum of float64") {
  MeasuredWork work{{3, {{1, 1}}}};
  work.start = 7;
  work.start_alone = 5;
  work.start_reduce = 6;
  work.more_start = 2;
  CHECK(work.start_of(1, Collective::reduce, 1) == 7);
  CHECK(work.start_of(2, Collective::reduce, 1) == 8);
  CHECK(work.start_of(2, Collective::all_reduce, 1) == 9);

  Machine machine;
  machine.work = MeasuredWork{{3, {{1, 1}}}};
  machine.work->start = 7;
  OperationTimes times{4, {{1, 2}}};
  times.more_start = 11;
  machine.operations = {{make_operation("sum/float32"), times}};
  CHECK(machine.start(2, Collective::all_reduce, 1) == 7);
  CHECK(machine.computing(make_operation("sum/float32")).start(2, Collective::all_reduce, 1) == 18);
}

}  // namespace operation_times_test
