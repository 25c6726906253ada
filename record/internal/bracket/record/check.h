/* SPDX-License-Identifier: MIT */

#pragma once

/* The check of records, with xxHash inlined, so that no library is needed. */

#define XXH_INLINE_ALL
#include <xxhash.h>

/** Returns the check of the header (number 0) or of the bytes of a record after its field `check`.
    Records are numbered from 1 in a file, so that a check also shows that none before is missing.
 */
static inline uint32_t bracket_check(const void* bytes, size_t count, uint64_t number) {
  return (uint32_t)XXH3_64bits_withSeed(bytes, count, number);
}
