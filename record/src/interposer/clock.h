/* SPDX-License-Identifier: MIT */

#pragma once

/* The clock of all records, and the time that the recorder itself takes. */

#include <stdbool.h>
#include <stdint.h>

/** Measures the clock. With `shared`, several threads may call `recorder_now` at a time. */
void clock_start(bool shared);
/** Nanoseconds of CLOCK_MONOTONIC as the kernel has them. A signal handler may call it. */
int64_t clock_now(void);
/** Nanoseconds of CLOCK_MONOTONIC. They differ from `clock_now` by some 0.1 µs, and are never less
    than the call before returned. */
int64_t recorder_now(void);

/** Adds nanoseconds that the recorder took, and those of `clocks` calls of `recorder_now` that are
    not among them. Only with the lock. */
void recorder_add_time(int64_t nanoseconds, int clocks);
/** The nanoseconds that have been added since the last call. Only with the lock. */
int64_t recorder_take_time(void);
