/* SPDX-License-Identifier: MIT */

#pragma once

/* A line through readings of a counter and of a clock: the time of the clock for a tick of the
   counter. */

#include <stdint.h>

enum {
  line_fraction_bits = 24,
  line_first_interval = 1000000, /**< nanoseconds */
  line_longest_interval = 50000000
};

struct clock_reading {
  uint64_t ticks;
  int64_t time; /**< nanoseconds */
};

struct clock_line {
  struct clock_reading begin; /**< as read */
  int64_t time;               /**< of the line there: nanoseconds */
  double first_rate;          /**< nanoseconds of a tick, as found first */
  uint64_t rate;              /**< of the line, times 2^line_fraction_bits */
  uint64_t valid;             /**< ticks that the line is for */
};

/** The time so many ticks after the beginning of the line, at most `valid`. */
static inline int64_t line_time(const struct clock_line* line, uint64_t ticks) {
  return line->time + (int64_t)(ticks * line->rate >> line_fraction_bits);
}

/** Draws the line from this reading on for `interval` nanoseconds. It begins at `time`, and meets
    the time of the clock at the end if it is ahead of it. */
static inline void line_draw(struct clock_line* line, struct clock_reading now, int64_t time,
                             double rate, double interval) {
  const double ahead = (double)(time - now.time);
  const double slower = ahead < interval / 2 ? 1 - ahead / interval : 0.5;
  line->begin = now;
  line->time = time;
  line->rate = (uint64_t)(rate * slower * (1 << line_fraction_bits));
  line->valid = (uint64_t)(interval / rate);
}

/** Draws the first line, from the second of two readings on. Returns whether both grow. */
static inline int line_begin(struct clock_line* line, struct clock_reading first,
                             struct clock_reading second) {
  if (second.ticks <= first.ticks || second.time <= first.time) return 0;
  line->first_rate = (double)(second.time - first.time) / (double)(second.ticks - first.ticks);
  line_draw(line, second, second.time, line->first_rate, 2 * (double)line_first_interval);
  return 1;
}

/** Draws the line anew from a later reading on. Its times are never less than those before. */
static inline void line_continue(struct clock_line* line, struct clock_reading now) {
  const uint64_t ticks = now.ticks - line->begin.ticks;
  const int64_t passed = now.time - line->begin.time;
  const int64_t latest = line_time(line, ticks < line->valid ? ticks : line->valid);
  const int64_t time = latest > now.time ? latest : now.time;
  const double rate = (double)passed / (double)ticks;
  /* A counter that was set back or, other than the clock, ran while the machine slept; a virtual
     machine that has moved to another host. */
  if (!(rate > 0.99 * line->first_rate && rate < 1.01 * line->first_rate)) {
    line_draw(line, now, time, line->first_rate, line_first_interval);
    return;
  }
  const double interval = 2 * (double)passed;
  const double longest = line_longest_interval;
  line_draw(line, now, time, rate, interval < longest ? interval : longest);
}
