/* SPDX-License-Identifier: MIT */

#pragma once

/* The clock of all records. */

#include <stdbool.h>
#include <stdint.h>

/** Measures the clock. With `shared`, several threads may call `recorder_now` at a time. */
void clock_start(bool shared);
/** Nanoseconds of CLOCK_MONOTONIC as the kernel has them. A signal handler may call it. */
int64_t clock_now(void);
/** Nanoseconds of CLOCK_MONOTONIC. They differ from `clock_now` by some 0.1 µs, and are never less
    than the call before returned. */
int64_t recorder_now(void);
