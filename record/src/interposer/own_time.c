/* SPDX-License-Identifier: MIT */

#include "own_time.h"

#include "clock.h"

/* Of the short reductions, the first ones are measured, then one of each interval. */
enum { first_measured = 8, interval = 8 };

static bool measured_always;
static int64_t added;
static int64_t clock_time; /* of one recorder_now */
static int64_t usual_time; /* of one short reduction */
static uint64_t reductions;

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

void own_time_start(bool shared) {
  measured_always = shared;
  added = 0;
  usual_time = INT64_MAX;
  reductions = 0;
  measure_clock();
}

bool own_time_is_due(void) {
  return measured_always || reductions < first_measured || reductions % interval == 0;
}

void own_time_add(int64_t nanoseconds, int clocks) { added += nanoseconds + clocks * clock_time; }

void own_time_add_usual(void) {
  ++reductions;
  own_time_add(usual_time, 0);
}

/* The first ones still fill caches, so the fastest of them counts. Later, a program that interrupts
   the recorder at most doubles the time, for one interval. */
void own_time_measured(int64_t nanoseconds) {
  const bool is_first = ++reductions <= first_measured;
  const int64_t most = is_first ? usual_time : 2 * usual_time + 1;
  usual_time = nanoseconds < most ? nanoseconds : most;
}

int64_t own_time(void) { return added; }

int64_t own_time_take(void) {
  const int64_t taken = added;
  added = 0;
  return taken;
}
