/* SPDX-License-Identifier: MIT */

#include "clock.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

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
   the counter is read, and a line through two readings of both gives the time. The line is drawn
   anew after at most `longest` nanoseconds, from which it differs by what a reading is off. */

enum { fraction_bits = 24, first_interval = 1000000, longest = 50000000 };

static struct {
  uint64_t ticks;
  int64_t real;   /* the time of the kernel at `ticks` */
  int64_t time;   /* what `recorder_now` returns there */
  uint64_t rate;  /* nanoseconds of a tick, times 2^fraction_bits */
  uint64_t valid; /* ticks that the line is used for; 0: the counter is not used */
} line;

struct reading {
  uint64_t ticks;
  int64_t time;
};

/* Takes the shortest of some tries, because other programs may interrupt one. */
static struct reading read_both(void) {
  struct reading best = {0, 0};
  uint64_t least = UINT64_MAX;
  for (int attempt = 0; attempt < 4; ++attempt) {
    const uint64_t before = __rdtsc();
    const int64_t time = clock_now();
    const uint64_t taken = __rdtsc() - before;
    if (taken >= least) continue;
    least = taken;
    best = (struct reading){before + taken / 2, time};
  }
  return best;
}

static int64_t time_after(uint64_t ticks) {
  return line.time + (int64_t)(ticks * line.rate >> fraction_bits);
}

/* Draws the line from this reading on for `nanoseconds`. It begins at `time`, and meets the time of
   the kernel at the end if it is ahead of it. */
static void draw(struct reading now, int64_t time, double nanoseconds_per_tick,
                 double nanoseconds) {
  const double ahead = (double)(time - now.time);
  const double slower = ahead < nanoseconds / 2 ? 1 - ahead / nanoseconds : 0.5;
  line.ticks = now.ticks;
  line.real = now.time;
  line.time = time;
  line.rate = (uint64_t)(nanoseconds_per_tick * slower * (1 << fraction_bits));
  line.valid = (uint64_t)(nanoseconds / nanoseconds_per_tick);
}

static int64_t draw_again(void) {
  const struct reading now = read_both();
  const uint64_t ticks = now.ticks - line.ticks;
  const int64_t passed = now.time - line.real;
  /* A counter that was set back, or a virtual machine that has moved to another host. */
  if (passed <= 0 || (int64_t)ticks <= 0) {
    line.valid = 0;
    return clock_now();
  }
  const int64_t latest = time_after(ticks < line.valid ? ticks : line.valid);
  const double interval = 2 * (double)passed;
  draw(now, latest > now.time ? latest : now.time, (double)passed / (double)ticks,
       interval < longest ? interval : longest);
  return line.time;
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

static void start_counter(void) {
  if (!is_counter_the_clock()) return;
  const struct reading first = read_both();
  while (clock_now() - first.time < first_interval) continue;
  const struct reading second = read_both();
  if (second.ticks <= first.ticks || second.time <= first.time) return;
  draw(second, second.time,
       (double)(second.time - first.time) / (double)(second.ticks - first.ticks),
       2 * first_interval);
}

int64_t recorder_now(void) {
  if (line.valid == 0) return clock_now();
  const uint64_t ticks = __rdtsc() - line.ticks;
  return ticks < line.valid ? time_after(ticks) : draw_again();
}

#else

static void start_counter(void) {}

int64_t recorder_now(void) { return clock_now(); }

#endif

/* Nanoseconds that are not in a record yet, and those of one `recorder_now`. */
static int64_t own_time;
static int64_t clock_time;

void recorder_add_time(int64_t nanoseconds, int clocks) {
  own_time += nanoseconds + clocks * clock_time;
}

int64_t recorder_take_time(void) {
  const int64_t taken = own_time;
  own_time = 0;
  return taken;
}

/* Takes the fastest of some rounds, because other programs may interrupt the others. */
static void measure_clock(void) {
  enum { rounds = 8, calls = 32 };
  clock_time = INT64_MAX;
  for (int round = 0; round < rounds; ++round) {
    const int64_t begin = recorder_now();
    int64_t end = begin;
    for (int call = 0; call < calls; ++call) end = recorder_now();
    const int64_t each = (end - begin) / calls;
    if (each < clock_time) clock_time = each;
  }
}

void clock_start(bool shared) {
  if (!shared) start_counter();
  measure_clock();
}
