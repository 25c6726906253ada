/* SPDX-License-Identifier: MIT */

#include "own_time.h"

#include "clock.h"

/* Of the short reductions, the first ones are measured, then one of `interval` on average. The
   distances are random, because programs repeat the same reductions in turn. */
enum { first_measured = 8, interval = 8 };

static bool measured_always;
static int64_t added;
static int64_t clock_time; /* of one recorder_now */
static double usual_time;  /* of one short reduction */
static int measured;       /* short reductions, at most first_measured */
static int unmeasured;     /* that come before the next measurement */
static uint32_t state;     /* of the random numbers */

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
  usual_time = 0;
  measured = 0;
  unmeasured = 0;
  state = 1;
  measure_clock();
}

bool own_time_is_due(void) { return measured_always || unmeasured == 0; }

void own_time_add(int64_t nanoseconds, int clocks) { added += nanoseconds + clocks * clock_time; }

void own_time_add_usual(void) {
  if (unmeasured > 0) --unmeasured;
  own_time_add((int64_t)usual_time, 0);
}

/* From 0 to 2 * (interval - 1), by a linear congruential generator. */
static int random_distance(void) {
  state = state * 1664525u + 1013904223u;
  return (int)((uint64_t)state * (2 * interval - 1) >> 32);
}

void own_time_measured(int64_t nanoseconds) {
  const double taken = nanoseconds > 0 ? (double)nanoseconds : 0;
  if (measured < first_measured) {
    /* They still fill caches. */
    if (measured++ == 0 || taken < usual_time) usual_time = taken;
  } else {
    /* A running mean. A program that interrupts the recorder counts as 16 reductions. */
    const double most = 16 * usual_time + 100;
    usual_time += ((taken < most ? taken : most) - usual_time) / 8;
  }
  if (measured == first_measured) unmeasured = random_distance();
}

int64_t own_time(void) { return added; }

int64_t own_time_take(void) {
  const int64_t taken = added;
  added = 0;
  return taken;
}
