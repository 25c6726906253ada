/* SPDX-License-Identifier: MIT */

#ifndef CHECK_H
#define CHECK_H

/* Common parts of the tests in C: checks that count failures, and a rank's share of a field. */

#include <bracket.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int failures;
extern int rank;
extern int ranks;

#define CHECK(condition)                                                                          \
  do {                                                                                            \
    if (!(condition)) {                                                                           \
      fprintf(stderr, "%s:%d: rank %d of %d: %s\n", __FILE__, __LINE__, rank, ranks, #condition); \
      ++failures;                                                                                 \
    }                                                                                             \
  } while (0)

/* Also prints the message of a failure. */
#define CHECK_OK(call)                                                                          \
  do {                                                                                          \
    if ((call) != BRACKET_OK) {                                                                 \
      fprintf(stderr, "%s:%d: rank %d of %d: %s: %s\n", __FILE__, __LINE__, rank, ranks, #call, \
              bracket_message());                                                               \
      ++failures;                                                                               \
    }                                                                                           \
  } while (0)

#define CHECK_FAILS(call, expected, words)                                                     \
  do {                                                                                         \
    const int code = (call);                                                                   \
    if (code != (expected) || strstr(bracket_message(), words) == NULL) {                      \
      fprintf(stderr, "%s:%d: rank %d of %d: %s: code %d, \"%s\"\n", __FILE__, __LINE__, rank, \
              ranks, #call, code, bracket_message());                                          \
      ++failures;                                                                              \
    }                                                                                          \
  } while (0)

/* First of `count` elements on a rank. Shares are about equal, and some may be empty. */
static inline int64_t share(int64_t count, int of_rank) { return count * of_rank / ranks; }

void test_types(void);
void test_arrays(void);
void test_errors(void);
void test_fused(void);
void test_own_operators(void);
void test_accumulators(void);
void test_planned(void);

#endif
