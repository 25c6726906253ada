#include "bracket/model/work.hpp"

#include <limits>

#include "bracket/model/error.hpp"
#include "bracket/model/loggp.hpp"
#include "bracket/model/plan.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

namespace work_test {

using namespace bracket;
using Catch::Approx;
using Catch::Contains;

namespace {

/// Folds of 4, 16 and 64 elements; from 16 on each takes longer.
const MeasuredWork example{5, 3, {{4, 10}, {16, 22}, {64, 214}}};

Machine machine_of(const MeasuredWork& work) {
  Machine machine{.latency = 1000, .overhead = 100, .gap = 0, .gap_per_byte = 0};
  machine.work = work;
  return machine;
}

/// By a walk from point to point.
double naive_fold(const std::vector<MeasuredWork::Fold>& folds, double elements) {
  if (elements <= static_cast<double>(folds.front().elements)) return folds.front().seconds;
  for (std::size_t i = 1; i < folds.size(); ++i) {
    const auto from = static_cast<double>(folds[i - 1].elements);
    const auto to = static_cast<double>(folds[i].elements);
    if (elements > to) continue;
    const double share = (elements - from) / (to - from);
    return folds[i - 1].seconds * (1 - share) + folds[i].seconds * share;
  }
  return folds.back().seconds * (elements / static_cast<double>(folds.back().elements));
}

MeasuredWork any_work() {
  MeasuredWork work;
  Index elements = 0;
  double seconds = 0;
  for (int points = *rc::gen::inRange(1, 8); points > 0; --points) {
    elements += *rc::gen::inRange<Index>(1, 1000);
    seconds += *rc::gen::inRange(0, 1000);
    work.folds.push_back({elements, seconds});
  }
  return work;
}

}  // namespace

TEST_CASE("a fold takes what was measured, straight lines between") {
  CHECK(example.fold(4) == 10);
  CHECK(example.fold(16) == 22);
  CHECK(example.fold(64) == 214);
  CHECK(example.fold(1) == 10);
  CHECK(example.fold(10) == Approx(16));
  CHECK(example.fold(40) == Approx(118));
  CHECK(example.fold(640) == Approx(2140));
}

TEST_CASE("any measured folds: as by a walk, and more elements never take less") {
  testing::property("folds", [] {
    const MeasuredWork work = any_work();
    work.check();
    double before = 0;
    Index elements = 0;
    for (int k = 0; k < 50; ++k) {
      elements += *rc::gen::inRange<Index>(0, 300);
      const double seconds = work.fold(static_cast<double>(elements));
      RC_ASSERT(seconds >= before);
      RC_ASSERT(seconds == Approx(naive_fold(work.folds, static_cast<double>(elements))));
      before = seconds;
    }
  });
}

TEST_CASE("a rank's folds take at least what all its elements take together") {
  RankPart part;
  part.fold(Range{0, 64});
  part.fold(Range{64, 68});
  part.join(Partial(Range{0, 64}), Partial(Range{64, 68}));
  const Machine machine = machine_of(example);
  const RankWork work(machine, part);
  // 68 elements take 214 / 64 each; 4 of them by themselves take less than 10 / 4.
  CHECK(work(part.steps()[0]) == Approx(214));
  CHECK(work(part.steps()[1]) == Approx(4 * 214.0 / 64));
  CHECK(work(part.steps()[2]) == 3);

  RankPart few;
  few.fold(Range{0, 4});
  few.fold(Range{4, 16});
  const RankWork of_few(machine, few);
  CHECK(of_few(few.steps()[0]) == 10);
  CHECK(of_few(few.steps()[1]) == Approx(18));

  RankPart vectors(16);
  vectors.fold(Range{0, 4});
  vectors.join(Partial(Range{0, 4}), Partial(Range{4, 8}));
  const RankWork of_vectors(machine, vectors);
  CHECK(of_vectors(vectors.steps()[0]) == Approx(214));
  CHECK(of_vectors(vectors.steps()[1]) == 16 * 3);
}

TEST_CASE("without a measurement a fold takes an addition less than it has elements") {
  const Machine machine{.seconds_per_addition = 7};
  RankPart part(3);
  part.fold(Range{0, 11});
  part.join(Partial(Range{0, 11}), Partial(Range{11, 12}));
  part.send(1, {{Partial(Range{0, 12})}});
  const RankWork work(machine, part);
  CHECK(work(part.steps()[0]) == 10 * 3 * 7);
  CHECK(work(part.steps()[1]) == 3 * 7);
  CHECK(work(part.steps()[2]) == 0);
  CHECK(machine.start() == 0);
}

TEST_CASE("LogGP with measured work begins when the run has started") {
  const auto distribution = Distribution::from_counts(std::vector<Index>{4, 4});
  const auto schedule =
      make_schedule(*make_order("tree", 8), distribution, *make_plan("direct"), Delivery{});
  const auto cost = paper_cost(schedule, machine_of(example));
  CHECK(cost.finish[1] == Approx(5 + 10 + 100));
  CHECK(cost.makespan == Approx(5 + 10 + 100 + 1000 + 100 + 3));
  CHECK(cost.critical_path.front().start == 5);
  CHECK(cost.critical_path.front().rank == 1);

  // A run that begins late begins everywhere late: nothing else changes.
  Machine late = machine_of(example);
  late.work->start = 5000;
  CHECK(paper_cost(schedule, late).makespan == Approx(cost.makespan + 4995));
  CHECK(paper_cost(schedule, late).critical_path.size() == cost.critical_path.size());
}

TEST_CASE("a measurement that cannot be is refused") {
  const auto refusal = [](const MeasuredWork& work) -> std::string {
    try {
      machine_of(work).check();
    } catch (const Error& failure) {
      return failure.what();
    }
    return "accepted";
  };
  CHECK(refusal(example) == "accepted");
  CHECK(refusal({0, 0, {{1, 0}, {2, 0}}}) == "accepted");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK_THAT(refusal({-1, 0, {{1, 1}}}), Contains("start in seconds"));
  CHECK_THAT(refusal({0, nan, {{1, 1}}}), Contains("seconds per join"));
  CHECK_THAT(refusal({0, 0, {}}), Contains("without a measured fold"));
  CHECK_THAT(refusal({0, 0, {{1, infinity}}}), Contains("seconds of a fold"));
  CHECK_THAT(refusal({0, 0, {{0, 1}}}), Contains("a fold of 0 elements"));
  CHECK_THAT(refusal({0, 0, {{2, 1}, {2, 2}}}), Contains("more than the 2"));
  CHECK_THAT(refusal({0, 0, {{1, 2}, {2, 1}}}), Contains("less than one of 1"));
}

}  // namespace work_test
