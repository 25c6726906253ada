// SPDX-License-Identifier: MIT

extern "C" {
#include "own_time.h"
#include "clock.h"
}

#include "support/catch.hpp"

namespace own_time_test {

namespace {

void start(bool shared) {
  clock_start(shared);
  own_time_start(shared);
}

/// Nanoseconds that are added for a short reduction that is not measured.
std::int64_t usual() {
  own_time_take();
  own_time_add_usual();
  return own_time_take();
}

/// Short reductions of so many nanoseconds each. Returns what is counted for all of them.
std::int64_t reduce(int count, std::int64_t nanoseconds) {
  own_time_take();
  for (int k = 0; k < count; ++k) {
    if (own_time_is_due()) {
      own_time_add(nanoseconds, 0);
      own_time_measured(nanoseconds);
    } else {
      own_time_add_usual();
    }
  }
  return own_time_take();
}

}  // namespace

TEST_CASE("the time of the recorder is that which was added, with readings of the clock") {
  start(false);
  own_time_add(1000, 0);
  own_time_add(500, 0);
  CHECK(own_time() == 1500);
  CHECK(own_time_take() == 1500);
  CHECK(own_time() == 0);
  own_time_add(0, 1);
  const std::int64_t reading = own_time_take();
  CHECK(reading > 0);
  CHECK(reading < 10'000);
  own_time_add(7, 3);
  CHECK(own_time_take() == 7 + 3 * reading);
}

TEST_CASE("some short reductions are measured, and the others take as long") {
  start(false);
  int measured = 0;
  for (int k = 0; k < 8008; ++k) {
    if (own_time_is_due()) {
      ++measured;
      own_time_measured(100);
    } else {
      own_time_add_usual();
    }
  }
  CHECK(measured > 900);
  CHECK(measured < 1200);
  CHECK(usual() == 100);
}

TEST_CASE("the first short reduction counts only if the others are slow, too") {
  start(false);
  own_time_measured(50'000);
  reduce(7, 120);
  CHECK(usual() == 120);
}

TEST_CASE("an interruption of the recorder is not taken for the time of all reductions") {
  start(false);
  reduce(8, 100);
  own_time_measured(5'000'000);
  CHECK(usual() < 400);
  reduce(1000, 100);
  CHECK(usual() <= 101);
}

TEST_CASE("a slower recorder is known after some measurements") {
  start(false);
  reduce(8, 100);
  reduce(1000, 400);
  CHECK(usual() >= 398);
}

TEST_CASE("reductions that take turns count as their mean, wherever a program begins") {
  constexpr int turns = 2000;
  for (const int period : {2, 3, 4, 8, 16}) {
    for (int first = 0; first < period; ++first) {
      CAPTURE(period, first);
      start(false);
      own_time_take();
      std::int64_t true_time = 0;
      std::int64_t counted = 0;
      for (int k = 0; k < turns * period; ++k) {
        const std::int64_t taken = (k + first) % period == 0 ? 800 : 100;
        true_time += taken;
        counted += reduce(1, taken);
      }
      CHECK(counted > true_time * 9 / 10);
      CHECK(counted < true_time * 11 / 10);
    }
  }
}

TEST_CASE("a time below 0, by clocks that differ, counts as none") {
  start(false);
  reduce(8, 100);
  for (int k = 0; k < 100; ++k) own_time_measured(-1000);
  CHECK(usual() == 0);
  reduce(2000, 100);
  CHECK(usual() >= 98);
}

TEST_CASE("if several threads record, every reduction is measured") {
  start(true);
  for (int k = 0; k < 100; ++k) {
    REQUIRE(own_time_is_due());
    own_time_measured(100);
  }
}

}  // namespace own_time_test
