// SPDX-License-Identifier: MIT

#include "bracket/model/loggp.hpp"
#include "bracket/model/plan.hpp"
#include "model/cost/example_work.hpp"
#include "support/catch.hpp"

namespace start_test {

using namespace bracket;
using Catch::Approx;
using testing::example_work;
using testing::machine_of;

TEST_CASE("a run on one rank has a start of its own, if that was measured") {
  Machine machine = machine_of(example_work);
  CHECK(machine.start(1, Collective::reduce, 1000) == 5);
  CHECK(machine.start(2, Collective::reduce, 1000) == 5);
  machine.work->start_alone = 1;
  CHECK(machine.start(1, Collective::reduce, 1000) == 1);
  CHECK(machine.start(2, Collective::reduce, 1000) == 5);
  machine.work->start_reduce = 3;
  CHECK(machine.start(1, Collective::reduce, 1000) == 1);
  CHECK(machine.start(2, Collective::reduce, 1000) == 3);
  CHECK(machine.start(2, Collective::all_reduce, 1000) == 5);
  CHECK(machine.start(2, Collective::reduce_scatter, 1000) == 5);
}

TEST_CASE("in a program, runs have a start of their own, if that was measured") {
  MeasuredWork work = *machine_of(example_work).work;
  work.more_start = 1;
  CHECK(work.in_program() == work);
  work.start_in_program = 9;
  CHECK(work.in_program().start_of(2, Collective::all_reduce, 1) == 9);
  CHECK(work.in_program().start_of(2, Collective::reduce, 1) == 9);
  CHECK(work.in_program().start_of(1, Collective::reduce, 1) == work.start + 1);
  work.start_alone = 2;
  work.start_reduce = 4;
  CHECK(work.in_program().start_of(1, Collective::all_reduce, 1) == 2 + 1);
  CHECK(work.in_program().start_of(2, Collective::reduce, 1) == 4 + 9 - work.start);
  work.start_in_program = 0;
  CHECK(work.in_program().start_of(2, Collective::all_reduce, 1) == 0);
  CHECK(work.in_program().start_of(2, Collective::reduce, 1) == 0);
}

TEST_CASE("an operation starts in a program as measured, or later than a sum as elsewhere") {
  Machine machine = machine_of(example_work);
  const Operation products = make_operation("products");
  machine.operations = {{products, example_work}};
  machine.operations[0].times.more_start = 2;
  CHECK_FALSE(machine.computing(products).work->start_in_program);
  machine.work->start_in_program = 9;
  CHECK(machine.computing(products).work->start_in_program == 11);
  machine.operations[0].times.start_in_program = 3;
  CHECK(machine.computing(products).work->start_in_program == 3);
  CHECK(machine.computing({}).work->start_in_program == 9);
}

TEST_CASE("a result vector is copied and finished after the last step, a number is not") {
  Machine machine = machine_of(example_work);
  CHECK(machine.end(100) == 0);
  machine.work->copies = {{1, 0.5}, {100, 50}};
  CHECK(machine.end(0) == 0);
  CHECK(machine.end(1) == 0);
  CHECK(machine.end(100) == 50);
  CHECK(machine.end(10) == 5);
  // To finish an item may take longer than to copy it.
  machine.work->seconds_per_result = 2;
  CHECK(machine.end(1) == 0);
  CHECK(machine.end(10) == 20);
  machine.work->seconds_per_result = 0.1;
  CHECK(machine.end(100) == 50);
  CHECK(Machine{}.end(100) == 0);

  // Rank 0 waits for a message, and only then finishes the result.
  const auto schedule = make_schedule(make_order("tree", 2), make_distribution("upper", 2, 2),
                                      *make_plan("gather"), Delivery{}, 100);
  machine.work->seconds_per_result = 0;
  const auto before = paper_cost(schedule, machine);
  machine.work->seconds_per_result = 9;
  const auto after = paper_cost(schedule, machine);
  CHECK(after.finish[0] == Approx(before.finish[0] - 50 + 900));
  CHECK(after.finish[1] == before.finish[1]);
}

TEST_CASE("a rank whose numbers fill the first cache starts later on several ranks") {
  Machine machine = machine_of(example_work);
  machine.work->start_reduce = 3;
  machine.work->first_cache = {400, 60};
  const auto start = [&](Rank ranks, Collective collective, double numbers) {
    return machine.start(ranks, collective, numbers);
  };
  CHECK(start(2, Collective::reduce, 0) == 3);
  CHECK(start(2, Collective::reduce, 100) == 3);
  CHECK(start(2, Collective::reduce, 250) == Approx(3 + 30));
  CHECK(start(2, Collective::reduce, 400) == 3 + 60);
  CHECK(start(2, Collective::all_reduce, 1e9) == 5 + 60);
  CHECK(start(1, Collective::reduce, 1e9) == 5);

  // Rank 1 holds as many numbers as fill the cache; rank 0 waits for it.
  machine.work->first_cache = {4, 60};
  const auto distribution = Distribution::from_counts(std::vector<Index>{1, 4});
  const auto schedule =
      make_schedule(make_order("tree", 5), distribution, *make_plan("gather"), Delivery{});
  Machine before = machine;
  before.work->first_cache.reset();
  CHECK(paper_cost(schedule, machine).finish[1] ==
        Approx(paper_cost(schedule, before).finish[1] + 60));
  CHECK(paper_cost(schedule, machine).makespan ==
        Approx(paper_cost(schedule, before).makespan + 60));
}

}  // namespace start_test
