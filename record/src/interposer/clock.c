/* SPDX-License-Identifier: MIT */

#include "clock.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "clock_line.h"

#ifdef __x86_64__
#include <x86intrin.h>
#endif

int64_t clock_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

#ifdef __x86_64__

/* A reading of the kernel's clock takes three times as long as one of the processor's counter. So
   the counter is read, and the time is that of a line, which is drawn anew every 50 ms. */
static struct clock_line line; /* not valid for any ticks if the counter is not used */

/* Takes the shortest of some tries, because other programs may interrupt one. */
static struct clock_reading read_both(void) {
  struct clock_reading best = {0, 0};
  uint64_t least = UINT64_MAX;
  for (int attempt = 0; attempt < 4; ++attempt) {
    const uint64_t before = __rdtsc();
    const int64_t time = clock_now();
    const uint64_t taken = __rdtsc() - before;
    if (taken >= least) continue;
    least = taken;
    best = (struct clock_reading){before + taken / 2, time};
  }
  return best;
}

/* The kernel uses the counter itself if it runs at one speed and alike on all processors. */
static bool is_counter_the_clock(void) {
  char name[16] = "";
  FILE* const file = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "r");
  if (file == NULL) return false;
  const bool read = fgets(name, sizeof name, file) != NULL;
  fclose(file);
  return read && strcmp(name, "tsc\n") == 0;
}

static void start_counter(bool shared) {
  line.valid = 0;
  if (shared || !is_counter_the_clock()) return;
  const struct clock_reading first = read_both();
  while (clock_now() - first.time < line_first_interval) continue;
  line_begin(&line, first, read_both());
}

int64_t recorder_now(void) {
  if (line.valid == 0) return clock_now();
  const uint64_t ticks = __rdtsc() - line.begin.ticks;
  if (ticks < line.valid) return line_time(&line, ticks);
  line_continue(&line, read_both());
  return line.time;
}

#else

static void start_counter(bool shared) { (void)shared; }

int64_t recorder_now(void) { return clock_now(); }

#endif

void clock_start(bool shared) { start_counter(shared); }
