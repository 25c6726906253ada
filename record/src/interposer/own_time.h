/* SPDX-License-Identifier: MIT */

#pragma once

/* The time that the recorder itself takes. Measuring it takes two readings of the clock, a quarter
   of the time of a short reduction. So it is measured for some of these only, and the others count
   as their mean. Call all functions but `own_time_is_due` with the lock. */

#include <stdbool.h>
#include <stdint.h>

/** Forgets all times, and measures a reading of the clock. With `shared`, several threads may
   record at a time, and every time is measured. */
void own_time_start(bool shared);
/** Whether to measure the time of the next reduction if it is short. */
bool own_time_is_due(void);
/** Adds nanoseconds that the recorder took, and those of `clocks` calls of `recorder_now` that are
    not among them. */
void own_time_add(int64_t nanoseconds, int clocks);
/** Adds the time of a short reduction that is not measured. */
void own_time_add_usual(void);
/** Notes the time of a short reduction that was measured and added. */
void own_time_measured(int64_t nanoseconds);
/** The nanoseconds that have been added since the last `own_time_take`. */
int64_t own_time(void);
/** Returns `own_time` and begins at 0. */
int64_t own_time_take(void);
