// SPDX-License-Identifier: MIT

#include "bracket/model/makespan_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bracket/model/tune.hpp"
#include "bracket/support/error.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/plans.hpp"
#include "support/property.hpp"

namespace makespan_bound_test {

using namespace bracket;
using Catch::Approx;

namespace {

constexpr Machine free_of_charge{
    .latency = 0, .overhead = 0, .gap = 0, .gap_per_byte = 0, .seconds_per_addition = 0};

/// Lower bound on the makespan, in seconds, if each rank holds one element.
double bound_of_one_each(Rank ranks, const Machine& machine) {
  return makespan_bound({ranks, ranks, 0}, {}, 1, machine);
}

rc::Gen<Machine> any_machine() {
  return rc::gen::exec([] {
    const auto figure = [](int most) { return *rc::gen::inRange(0, most) * 1e-9; };
    Machine machine{.latency = figure(3000),
                    .overhead = figure(300),
                    .gap = figure(1000),
                    .gap_per_byte = figure(10),
                    .seconds_per_addition = figure(100),
                    .value_bytes = *rc::gen::element<Index>(4, 8, 16)};
    Index bytes = 0;
    for (int row = *rc::gen::inRange(0, 4); row > 0; --row) {
      bytes += *rc::gen::inRange<Index>(1, 40);
      machine.messages.push_back({bytes, figure(300) + 1e-9, figure(300) + 1e-9,
                                  figure(6000) + 1e-9, figure(1000) + 1e-9});
    }
    if (*rc::gen::arbitrary<bool>()) {
      MeasuredWork& work = machine.work.emplace();
      work.start = figure(500);
      work.seconds_per_join = figure(*rc::gen::element(1, 3, 50));
      double seconds = figure(100);
      for (Index elements = *rc::gen::inRange<Index>(1, 4); elements < 200; elements *= 3) {
        work.folds.push_back({elements, seconds});
        seconds += figure(1000);
      }
      if (*rc::gen::arbitrary<bool>()) {
        work.joins = work.folds;
        for (auto& join : work.joins) join.seconds /= *rc::gen::element(2, 100);
        std::sort(work.joins.begin(), work.joins.end(),
                  [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
        for (std::size_t i = 0; i < work.joins.size(); ++i) {
          work.joins[i].elements = work.folds[i].elements;
        }
      }
    }
    return machine;
  });
}

}  // namespace

// Culler et al., LogP: Towards a Realistic Model of Parallel Computation, 1993, figure 3: eight
// processors, L = 6, g = 4, o = 2; the last processor receives at 24.
TEST_CASE("what must be heard of everybody takes as long as LogP's fastest broadcast") {
  Machine machine = free_of_charge;
  machine.latency = 6;
  machine.overhead = 2;
  machine.gap = 4;
  CHECK(bound_of_one_each(8, machine) == 24);
  const double heard[] = {0, 10, 14, 18, 20, 22, 24, 24, 26, 28, 28, 28};
  for (Rank ranks = 1; ranks <= 12; ++ranks) {
    CAPTURE(ranks);
    CHECK(bound_of_one_each(ranks, machine) == heard[ranks - 1]);
  }
}

TEST_CASE("one rank takes as long as it folds") {
  Machine machine;
  machine.seconds_per_addition = 7e-9;
  const BoundaryWindows alone(1000, 1, 0.5);
  CHECK(makespan_bound(alone, {}, 3, machine) == Approx(999 * 3 * 7e-9));
  machine.work.emplace();
  machine.work->start = 1e-6;
  machine.work->seconds_per_join = 1e-6;
  machine.work->folds = {{10, 1e-7}, {2000, 3e-6}};
  CHECK(makespan_bound(alone, {}, 1, machine) == Approx(1e-6 + machine.work->fold(999)));
  // A plan may join elements that it need not fold.
  machine.work->seconds_per_join = 1e-10;
  CHECK(makespan_bound(alone, {}, 1, machine) == Approx(1e-6 + 999e-10));
}

TEST_CASE("messages that cost nothing leave the additions") {
  Machine machine = free_of_charge;
  machine.seconds_per_addition = 1;
  CHECK(makespan_bound({1000, 10, 0.2}, {}, 1, machine) == Approx(99.9));
  CHECK(makespan_bound({1000, 10, 0.2}, Delivery::to_all(), 5, machine) == Approx(499.5));
  machine.latency = 1e6;
  CHECK(makespan_bound({1000, 10, 0.2}, {0, Collective::reduce_scatter}, 5, machine) ==
        Approx(499.5));
  CHECK(bound_of_one_each(10'000'000, free_of_charge) == 0);
}

TEST_CASE("ranks that need not hold anything are left out where messages are dear") {
  Machine machine = free_of_charge;
  machine.seconds_per_addition = 1;
  machine.latency = 1e6;
  // One of the two ranks may hold all elements.
  CHECK(makespan_bound({100, 2, 1}, {}, 1, machine) == Approx(99));
  CHECK(makespan_bound({100, 2, 0.9}, {}, 1, machine) == Approx(1e6));
}

TEST_CASE("no plan over any distribution in the windows is below the bound") {
  testing::property("below", [] {
    const Index elements = *rc::gen::inRange<Index>(1, 300);
    const Rank ranks = *rc::gen::inRange<Rank>(1, 24);
    const BoundaryWindows windows(elements, ranks, *rc::gen::inRange(0, 12) / 8.0,
                                  *rc::gen::element(Moves::both_ways, Moves::downwards));
    std::vector<Index> boundaries;
    for (Index k = 0; k <= ranks; ++k) {
      const Index lowest = std::max(windows.lowest(k), k > 0 ? boundaries.back() : 0);
      boundaries.push_back(*rc::gen::inRange(lowest, windows.highest(k) + 1));
    }
    const auto held = Distribution::from_boundaries(boundaries);
    const Delivery delivery = *testing::any_delivery(*rc::gen::inRange<Rank>(0, ranks));
    const Index items = *rc::gen::element<Index>(1, 1, 2, 7, 40);
    const Machine machine = *any_machine();
    const auto order =
        make_order(*rc::gen::element<std::string>("tree", "chunked-tree:4", "chunked-tree:100",
                                                  "sequential", "associative"),
                   elements);
    const Problem problem{order, held, delivery, items};
    const double bound = makespan_bound(windows, delivery, items, machine);
    for (const auto& plan : testing::fitting_plans(problem)) {
      const double makespan = paper_cost(make_schedule(problem, *plan), machine).makespan;
      RC_ASSERT(makespan >= bound * (1 - 1e-12));
    }
  });
}

TEST_CASE("tuning comes near the bound where folds take most of the time") {
  constexpr Index elements = 21410970;
  constexpr Rank ranks = 256;
  TuneRequest request{.elements = elements, .ranks = ranks, .plans = {"aggregated:4"}};
  request.evaluations = 100;
  const auto result = tune(request, [](const Problem& problem, const Plan& plan) {
    return paper_cost(make_schedule(problem, plan), Machine{}).makespan;
  });
  const double bound = makespan_bound({elements, ranks, request.alpha}, {}, 1, Machine{});
  const double best = result.candidates.front().seconds;
  CHECK(bound < best);
  CHECK(best < 1.004 * bound);
}

TEST_CASE("a bound of what cannot be is refused") {
  Machine machine;
  CHECK_THROWS_AS(makespan_bound({10, 2, 0.2}, {}, 0, machine), Error);
  machine.gap = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(makespan_bound({10, 2, 0.2}, {}, 1, machine), Error);
}

TEST_CASE("threads lower the bound as they lower the makespan") {
  Machine machine = free_of_charge;
  machine.seconds_per_addition = 1e-9;
  constexpr Index elements = 1'000'001;
  for (const Index threads : {1, 2, 4}) {
    const Machine threaded = machine.on_threads(threads);
    const double bound = makespan_bound({elements, 1, 0}, Delivery::to(0), 1, threaded);
    const auto schedule = make_schedule(make_order("tree", elements),
                                        upper_distribution(elements, 1), *make_plan("direct"));
    CAPTURE(threads);
    CHECK(bound <= paper_cost(schedule, threaded).makespan);
    CHECK(bound == Approx(1e-3 / static_cast<double>(threads)));
  }
}

}  // namespace makespan_bound_test
