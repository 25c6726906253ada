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

/// What an unmeasured reduction adds.
std::int64_t usual() {
  own_time_take();
  own_time_add_usual();
  return own_time_take();
}

/// Measures reductions of so many nanoseconds until another one need not be measured.
void measure(std::int64_t nanoseconds) {
  do {
    own_time_measured(nanoseconds);
  } while (own_time_is_due());
}

/// Passes over reductions until one must be measured. Returns how many there were.
int pass() {
  int passed = 0;
  for (; !own_time_is_due(); ++passed) own_time_add_usual();
  return passed;
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
  CHECK(own_time_is_due());
  measure(100);
  CHECK(usual() == 100);
  CHECK(pass() >= 5);
  CHECK(pass() == 0);
  measure(60);
  CHECK(usual() == 60);
}

TEST_CASE("the first short reduction counts only if the others are slow, too") {
  start(false);
  own_time_measured(50'000);
  measure(120);
  CHECK(usual() == 120);
}

TEST_CASE("an interruption of the recorder is not taken for the time of all reductions") {
  start(false);
  measure(100);
  pass();
  measure(5'000'000);
  CHECK(usual() <= 201);
  pass();
  measure(110);
  CHECK(usual() == 110);
}

TEST_CASE("a slower recorder is known after some measurements") {
  start(false);
  measure(100);
  for (int k = 0; k < 3; ++k) {
    pass();
    measure(400);
  }
  CHECK(usual() == 400);
}

TEST_CASE("if several threads record, every reduction is measured") {
  start(true);
  for (int k = 0; k < 100; ++k) {
    REQUIRE(own_time_is_due());
    own_time_measured(100);
  }
}

}  // namespace own_time_test
