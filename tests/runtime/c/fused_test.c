/* SPDX-License-Identifier: MIT */

/* Fields of several operators in one reducer, and elements by a function. The elements are small
 * integers, whose sum is the same for every bracketing. */

#include "check.h"

enum { count = 1000 };

static double any(int64_t i) { return (double)((i * 37) % 101 - 50); }

/* The context is the global index of this rank's first element. */
static void make_any(const void* context, int64_t first, int64_t number, void* into) {
  const int64_t begin = *(const int64_t*)context + first;
  double* const elements = into;
  for (int64_t i = 0; i < number; ++i) elements[i] = any(begin + i);
}

static void test_operators(void) {
  const int64_t first = share(count, rank), own = share(count, rank + 1) - first;
  double values[count];
  double sum = 0, least = any(0), most = any(0);
  for (int64_t i = 0; i < count; ++i) {
    sum += any(i);
    if (any(i) < least) least = any(i);
    if (any(i) > most) most = any(i);
    if (i < own) values[i] = any(first + i);
  }
  bracket_field fields[3];
  memset(fields, 0, sizeof fields);
  for (int k = 0; k < 3; ++k) {
    fields[k].elements.dimensions = 1;
    fields[k].elements.extents = &own;
  }
  fields[1].op = BRACKET_MAXIMUM;
  fields[2].op = BRACKET_MINIMUM;
  const bracket_settings settings = {.bytes = sizeof settings, .algorithm = "binned"};
  bracket_reducer* reducer = NULL;
  CHECK_OK(bracket_reducer_create(MPI_COMM_WORLD, BRACKET_FLOAT64, BRACKET_SUM, fields, 3,
                                  &settings, &reducer));
  const bracket_arrays arrays[] = {
      {.elements = values}, {.elements = &first, .make = make_any}, {.elements = values}};
  double results[3] = {0, 0, 0};
  CHECK_OK(bracket_reducer_run(reducer, arrays, results));
  CHECK(results[0] == sum && results[1] == most && results[2] == least);
  CHECK_OK(bracket_reducer_free(&reducer));

  fields[1].op = BRACKET_MAXIMUM_LOCATION;
  CHECK_FAILS(bracket_reducer_create(MPI_COMM_WORLD, BRACKET_FLOAT64, BRACKET_SUM, fields, 2, NULL,
                                     &reducer),
              BRACKET_COLLECTIVE, "the results of maximum-location and of sum");
  fields[1].op = 99;
  CHECK_FAILS(bracket_reducer_create(MPI_COMM_WORLD, BRACKET_FLOAT64, BRACKET_SUM, fields, 2, NULL,
                                     &reducer),
              BRACKET_COLLECTIVE, "field 1: ");
}

struct pair {
  int64_t first, last;
};

static void make_pairs(const void* context, int64_t first, int64_t number, void* into) {
  const int64_t begin = *(const int64_t*)context + first;
  for (int64_t i = 0; i < number; ++i) {
    const struct pair pair = {begin + i, begin + i};
    memcpy((char*)into + (size_t)i * sizeof pair, &pair, sizeof pair);
  }
}

/* Not commutative. The context shows if an operand was in a wrong place. */
static void append(const void* left, const void* right, void* result, void* context) {
  const struct pair* const l = left;
  const struct pair* const r = right;
  struct pair* const both = result;
  *(int*)context |= l->last + 1 != r->first;
  both->first = l->first;
  both->last = r->last;
}

static void test_accuracy(void) {
  const int64_t own = share(count, rank + 1) - share(count, rank);
  double values[count];
  for (int64_t i = 0; i < own; ++i) values[i] = 0.1;
  const bracket_field field = {.elements = {1, &own, NULL, NULL, NULL}};
  const bracket_settings settings = {.bytes = sizeof settings, .algorithm = "stochastic"};
  bracket_reducer* reducer = NULL;
  CHECK_OK(bracket_reducer_create(MPI_COMM_WORLD, BRACKET_FLOAT64, BRACKET_SUM, &field, 1,
                                  &settings, &reducer));
  double digits = -1, sum = 0;
  int64_t cancellations = -1;
  CHECK_FAILS(bracket_reducer_accuracy(reducer, 0, &digits, NULL), BRACKET_BAD_INPUT,
              "no run is complete");
  const bracket_arrays arrays = {.elements = values};
  CHECK_OK(bracket_reducer_run(reducer, &arrays, &sum));
  CHECK_OK(bracket_reducer_accuracy(reducer, 0, &digits, &cancellations));
  CHECK(digits > 12 && digits < 16 && cancellations == 0);
  CHECK_FAILS(bracket_reducer_accuracy(reducer, 1, &digits, NULL), BRACKET_BAD_INPUT, "no field 1");
  CHECK_FAILS(bracket_reducer_accuracy(reducer, 0, NULL, NULL), BRACKET_BAD_INPUT, "is NULL");
  CHECK_OK(bracket_reducer_free(&reducer));
}

static void test_own_operator(void) {
  const int64_t first = share(count, rank), own = share(count, rank + 1) - first;
  int torn = 0;
  bracket_field field;
  memset(&field, 0, sizeof field);
  field.elements.dimensions = 1;
  field.elements.extents = &own;
  bracket_reducer* reducer = NULL;
  CHECK_OK(bracket_reducer_create_own(MPI_COMM_WORLD, sizeof(struct pair), append, &torn, &field, 1,
                                      NULL, &reducer));
  const bracket_arrays arrays = {.elements = &first, .make = make_pairs};
  struct pair result = {-1, -1};
  CHECK_OK(bracket_reducer_run(reducer, &arrays, &result));
  CHECK(result.first == 0 && result.last == count - 1 && !torn);
  CHECK_OK(bracket_reducer_free(&reducer));
  field.op = BRACKET_SUM;
  CHECK_FAILS(bracket_reducer_create_own(MPI_COMM_WORLD, sizeof(struct pair), append, &torn, &field,
                                         1, NULL, &reducer),
              BRACKET_COLLECTIVE, "field 0 has the operator sum");
}

void test_fused(void) {
  test_operators();
  test_accuracy();
  test_own_operator();
}
