// SPDX-License-Identifier: MIT

#include "bracket/model/loggp.hpp"
#include "bracket/model/work.hpp"
#include "support/catch.hpp"

namespace vector_work_test {

using namespace bracket;
using Catch::Approx;

namespace {

Machine machine_of(const MeasuredWork& work) {
  Machine machine;
  machine.work = work;
  return machine;
}

}  // namespace

TEST_CASE("a part of a vector is combined in its share of the time for the whole") {
  MeasuredWork measured{{3, {{1, 1}}}};
  CHECK(measured.join(10, 1) == 30);
  CHECK(measured.join(10, 100) == 30);
  measured.joins = {{10, 5}, {100, 500}};
  CHECK(measured.join(10, 1) == 30);
  CHECK(measured.join(10, 10) == Approx(5));
  CHECK(measured.join(10, 100) == Approx(50));
  CHECK(measured.join(100, 100) == Approx(500));
  CHECK(measured.join(200, 200) == Approx(1000));

  RankPart vectors(100);
  vectors.fold(Range{0, 1});
  vectors.join(Partial(Range{0, 1}), Partial(Range{1, 2}));
  const Machine machine = machine_of(measured);
  CHECK(RankWork(machine, vectors, {0, 1})(vectors.steps()[1]) == Approx(500));
}

TEST_CASE("a single vector is copied, not folded") {
  MeasuredWork measured{{3, {{1, 1}}}};
  RankPart vectors(100);
  vectors.fold(Range{0, 1});
  vectors.fold(Range{0, 2});
  const auto seconds = [&](std::size_t step) {
    const Machine machine = machine_of(measured);
    return RankWork(machine, vectors, {0, 2})(vectors.steps()[step]);
  };
  CHECK(seconds(0) == Approx(100));
  measured.copies = {{100, 7}, {200, 14}};
  CHECK(seconds(0) == Approx(7));
  CHECK(seconds(1) == Approx(200));
  // Single numbers are folded.
  RankPart number(1);
  number.fold(Range{0, 1});
  const Machine machine = machine_of(measured);
  CHECK(RankWork(machine, number, {0, 1})(number.steps()[0]) == Approx(1));
}

}  // namespace vector_work_test
