// SPDX-License-Identifier: MIT

#include "measure/calibration_parts.hpp"
#include "support/catch.hpp"

namespace calibration_rounds_test {

using namespace bracket;
using namespace bracket::runtime;
using calibration::WorkRounds;
using Catch::Approx;

namespace {

/// Eight folds; fold i takes `times[i]` seconds per element.
OperationTimes round_of(const std::vector<double>& times, double join = 1) {
  OperationTimes work{join, {}};
  for (std::size_t i = 0; i < times.size(); ++i) {
    const Index elements = Index{1} << i;
    work.folds.push_back({elements, static_cast<double>(elements) * times[i]});
  }
  return work;
}

const std::vector<double> quiet(8, 1.0);

}  // namespace

TEST_CASE("three rounds of which the last two agree are enough") {
  WorkRounds rounds;
  CHECK_FALSE(rounds.settled());
  rounds.add(round_of(quiet));
  rounds.add(round_of(quiet));
  CHECK_FALSE(rounds.settled());
  // A single size may differ by any factor.
  rounds.add(round_of({1.05, 1.05, 1.05, 1.05, 1.05, 1.05, 9, 1.05}));
  CHECK(rounds.settled());
  CHECK(rounds.count() == 3);
  CHECK(rounds.apart() == Approx(0.05));
  CHECK(rounds.median() == round_of(quiet));
}

TEST_CASE("rounds go on until two in a row agree, and the median of each figure is kept") {
  WorkRounds rounds;
  rounds.add(round_of(std::vector<double>(8, 2.0), 3));
  rounds.add(round_of(std::vector<double>(8, 1.0), 5));
  rounds.add(round_of(std::vector<double>(8, 1.5), 4));
  CHECK_FALSE(rounds.settled());
  CHECK(rounds.median() == round_of(std::vector<double>(8, 1.5), 4));
  rounds.add(round_of(std::vector<double>(8, 1.45), 5));
  CHECK(rounds.settled());
  CHECK(rounds.apart() == Approx(1));
}

TEST_CASE("what is slow out of a cache alone is seen") {
  WorkRounds rounds;
  rounds.add(round_of(quiet));
  rounds.add(round_of({1, 1, 1, 1, 1, 1, 2, 2}));
  rounds.add(round_of(quiet));
  CHECK_FALSE(rounds.settled());
  CHECK(rounds.apart() == Approx(1));
}

TEST_CASE(
    "folds of several ranks at once and copies have their medians, and none is faster than "
    "one of fewer elements") {
  WorkRounds rounds;
  for (const double slow : {3.0, 1.0, 2.0}) {
    OperationTimes work = round_of(std::vector<double>(8, 1.0));
    work.folds_together = {{2, round_of(std::vector<double>(8, slow)).folds}};
    work.folds_together[0].vector_folds = {{64, 2 * slow}};
    work.seconds_per_result = slow;
    work.copies = {{1, slow}, {2, 4 - slow}};
    work.joins = {{2, slow}, {4, 4 - slow}};
    work.vector_folds = {{64, slow}, {128, 4 - slow}};
    work.partial_folds = {{3, slow}};
    work.complete_folds = {{4, slow}};
    rounds.add(work);
  }
  const OperationTimes work = rounds.median();
  CHECK(work.folds == round_of(quiet).folds);
  REQUIRE(work.folds_together.size() == 1);
  CHECK(work.folds_together[0].ranks == 2);
  CHECK(work.folds_together[0].folds == round_of(std::vector<double>(8, 2.0)).folds);
  CHECK(work.folds_together[0].vector_folds == std::vector<OperationTimes::Fold>{{64, 4}});
  CHECK(work.seconds_per_result == 2);
  CHECK(work.copies == std::vector<OperationTimes::Fold>{{1, 2}, {2, 2}});
  CHECK(work.joins == std::vector<OperationTimes::Fold>{{2, 2}, {4, 2}});
  CHECK(work.vector_folds == std::vector<OperationTimes::Fold>{{64, 2}, {128, 2}});
  CHECK(work.partial_folds == std::vector<OperationTimes::Fold>{{3, 2}});
  CHECK(work.complete_folds == std::vector<OperationTimes::Fold>{{4, 2}});
  CHECK(rounds.apart() == Approx(2));

  WorkRounds falling;
  falling.add(round_of({4, 1, 1, 1, 1, 1, 1, 1}));
  CHECK(falling.median().folds[1].seconds == 4);
}

TEST_CASE("a machine that is never quiet is not waited for") {
  WorkRounds rounds;
  for (const double slow : {1.0, 2.0, 1.0, 2.0}) {
    rounds.add(round_of(std::vector<double>(8, slow)));
    CHECK_FALSE(rounds.settled());
  }
  rounds.add(round_of(std::vector<double>(8, 1.0)));
  CHECK(rounds.settled());
  CHECK(rounds.count() == 5);
  CHECK(rounds.apart() == Approx(1));
  CHECK(rounds.median() == round_of(quiet));
}

TEST_CASE("a calibration says whether its machine was quiet") {
  Calibration found;
  found.rounds_apart = 0.19;
  CHECK(found.quiet());
  found.rounds_apart = 0.21;
  CHECK_FALSE(found.quiet());
}

}  // namespace calibration_rounds_test
