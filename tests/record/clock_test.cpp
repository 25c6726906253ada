// SPDX-License-Identifier: MIT

extern "C" {
#include "clock.h"
}

#include <algorithm>
#include <chrono>
#include <thread>

#include "support/catch.hpp"

namespace clock_test {

namespace {

constexpr std::int64_t second = 1'000'000'000;

}  // namespace

TEST_CASE("the clock of the recorder is that of the kernel") {
  const bool shared = GENERATE(false, true);
  CAPTURE(shared);
  clock_start(shared);
  const std::int64_t begin = clock_now();
  std::int64_t most_early = 0;
  std::int64_t most_late = 0;
  // The pauses are longer than the recorder uses one reading of the kernel's clock for.
  for (int pause = 0; pause < 4; ++pause) {
    const std::int64_t until = begin + (pause + 1) * second / 4;
    while (clock_now() < until) {
      const std::int64_t before = clock_now();
      const std::int64_t now = recorder_now();
      const std::int64_t after = clock_now();
      most_early = std::max(most_early, before - now);
      most_late = std::max(most_late, now - after);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(120));
  }
  // Readings while other programs run are off by more than others.
  CHECK(most_early < 20'000);
  CHECK(most_late < 20'000);
}

TEST_CASE("the clock of the recorder never goes back") {
  clock_start(false);
  std::int64_t steps_back = 0;
  std::int64_t latest = 0;
  const std::int64_t until = clock_now() + second;
  while (latest < until) {
    const std::int64_t now = recorder_now();
    if (now < latest) ++steps_back;
    latest = now;
  }
  CHECK(steps_back == 0);
}

TEST_CASE("the time of the recorder is that which was added, with readings of the clock") {
  clock_start(false);
  recorder_take_time();
  recorder_add_time(1000, 0);
  recorder_add_time(500, 0);
  CHECK(recorder_take_time() == 1500);
  CHECK(recorder_take_time() == 0);
  recorder_add_time(0, 1);
  const std::int64_t reading = recorder_take_time();
  CHECK(reading > 0);
  CHECK(reading < 10'000);
  recorder_add_time(7, 3);
  CHECK(recorder_take_time() == 7 + 3 * reading);
}

}  // namespace clock_test
