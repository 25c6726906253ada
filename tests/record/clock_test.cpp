// SPDX-License-Identifier: MIT

extern "C" {
#include "clock.h"
#include "clock_line.h"
}

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "support/catch.hpp"

namespace clock_test {

namespace {

constexpr std::int64_t second = 1'000'000'000;

}  // namespace

TEST_CASE("the clock of the recorder is that of the kernel") {
  const bool shared = GENERATE(false, true);  // clock_start must forget what it used before
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
  if (shared) CHECK((most_early == 0 && most_late == 0));
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

namespace {

/// A counter of 2.5 ticks in a nanosecond, and a clock that is off by so much.
clock_reading reading_at(std::int64_t time, std::int64_t off = 0) {
  return {static_cast<std::uint64_t>(1'000'000'000 + time * 5 / 2), time + off};
}

clock_line line_at(std::int64_t time) {
  clock_line line{};
  REQUIRE(line_begin(&line, reading_at(time - line_first_interval), reading_at(time)) == 1);
  return line;
}

std::int64_t last_time_of(const clock_line& line) { return line_time(&line, line.valid); }

}  // namespace

TEST_CASE("a line through readings continues where it was, and meets the clock again") {
  const std::int64_t off = GENERATE(-900, -30, 0, 30, 900);
  CAPTURE(off);
  clock_line line = line_at(10'000'000);
  CHECK(line_time(&line, 0) == 10'000'000);
  CHECK(std::abs(line_time(&line, 2500) - 10'001'000) <= 1);
  CHECK(std::abs(last_time_of(line) - 12'000'000) <= 2);
  // The clock is behind the line by `off`: the line must not go back.
  std::int64_t latest = last_time_of(line);
  line_continue(&line, reading_at(12'000'000, off));
  CHECK(line.time >= latest);
  CHECK(line.time >= 12'000'000 + off);
  CHECK(line.time <= 12'000'000 + std::max<std::int64_t>(off, 2));
  // At its end it is where the clock is, but for the error of the rate.
  const std::int64_t end = 12'000'000 + static_cast<std::int64_t>(line.valid) * 2 / 5;
  CHECK(std::abs(last_time_of(line) - (end + off)) <= 4 + 2 * std::abs(off));
  latest = last_time_of(line);
  line_continue(&line, reading_at(end));
  CHECK(line.time >= latest);
  CHECK(line.valid <= static_cast<std::uint64_t>(line_longest_interval) * 3);
}

TEST_CASE("a line forgets a counter that was set back, or that ran while the clock did not") {
  const std::int64_t hour = 3600 * second;
  const auto ticks = static_cast<std::uint64_t>(hour) * 5 / 2;
  for (const clock_reading wrong :
       {clock_reading{1000, 13'000'000}, clock_reading{1'000'000'000 + ticks, 13'000'000},
        clock_reading{1'000'000'000 + ticks, 5'000'000}, clock_reading{0, 5'000'000}}) {
    CAPTURE(wrong.ticks, wrong.time);
    clock_line line = line_at(10'000'000);
    const std::int64_t latest = last_time_of(line);
    line_continue(&line, wrong);
    CHECK(line.time >= wrong.time);
    CHECK(line.time >= 10'000'000);
    CHECK(line.time <= std::max(latest, wrong.time));
    // It goes on at the first rate, and for a short time.
    CHECK(line.valid <= 3'000'000);
    CHECK(last_time_of(line) > line.time + line_first_interval / 3);
    CHECK(last_time_of(line) < line.time + line_first_interval * 2);
  }
}

TEST_CASE("a line needs two readings that grow") {
  clock_line line{};
  CHECK(line_begin(&line, {10, 20}, {10, 30}) == 0);
  CHECK(line_begin(&line, {10, 20}, {30, 20}) == 0);
  CHECK(line.valid == 0);
}

}  // namespace clock_test
