/* SPDX-License-Identifier: MIT */

#pragma once

/* The check of records, with xxHash inlined, so that no library is needed. */

#define XXH_INLINE_ALL
#include <xxhash.h>

/** Returns the check of a header or of the bytes of a record after its field `check`. */
static inline uint32_t bracket_check(const void* bytes, size_t count) {
  return (uint32_t)XXH3_64bits_withSeed(bytes, count, count);
}
