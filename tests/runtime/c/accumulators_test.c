/* SPDX-License-Identifier: MIT */

/* Accumulators, compared with reducers over arrays of the same elements. */

#include "check.h"

enum { count = 1000 };

/* Numbers that cancel, so that another bracketing gives another sum. */
static double any(int64_t i) {
  const double h = (double)((i * 48271) % 2147483647);
  return i % 4 == 0 ? h * 1048576 : i % 4 == 2 ? -h * 1048576 : h / 1048576;
}

static double expected_sum(const char* algorithm) {
  double elements[count];
  for (int64_t i = 0; i < count; ++i) elements[i] = any(i);
  const int64_t all = count;
  const bracket_field field = {.elements = {1, &all, NULL, NULL, NULL}};
  const bracket_settings settings = {.bytes = sizeof settings, .algorithm = algorithm};
  const bracket_arrays arrays = {.elements = elements};
  bracket_reducer* reducer = NULL;
  double sum = 0;
  CHECK_OK(bracket_reducer_create(MPI_COMM_SELF, BRACKET_FLOAT64, BRACKET_SUM, &field, 1, &settings,
                                  &reducer));
  CHECK_OK(bracket_reducer_run(reducer, &arrays, &sum));
  CHECK_OK(bracket_reducer_free(&reducer));
  return sum;
}

/* Elements one at a time, then an array, then those of another accumulator. */
static void test_sum(const char* algorithm) {
  const int64_t first = share(count, rank), own = share(count, rank + 1) - first;
  const int64_t alone = own / 3, together = own / 2;
  double elements[count];
  for (int64_t i = 0; i < own; ++i) elements[i] = any(first + i);
  bracket_settings settings = {.bytes = sizeof settings, .algorithm = algorithm};
  bracket_accumulator *sum = NULL, *other = NULL;
  CHECK_OK(bracket_accumulator_create(BRACKET_FLOAT64, BRACKET_SUM, first, &settings, &sum));
  CHECK_OK(bracket_accumulator_create(BRACKET_FLOAT64, BRACKET_SUM, first + together, &settings,
                                      &other));
  for (int64_t i = 0; i < alone; ++i) CHECK_OK(bracket_accumulator_add(sum, &elements[i], 1));
  CHECK_OK(bracket_accumulator_add(sum, elements + alone, together - alone));
  CHECK_OK(bracket_accumulator_add(other, elements + together, own - together));
  CHECK_OK(bracket_accumulator_add_other(sum, other));
  int64_t held = -1;
  CHECK_OK(bracket_accumulator_count(sum, &held));
  CHECK(held == own);
  const double expected = expected_sum(algorithm);
  double result = 0;
  CHECK_OK(bracket_accumulator_reduce(sum, MPI_COMM_WORLD, &result));
  CHECK(memcmp(&result, &expected, sizeof result) == 0);

  CHECK_OK(bracket_accumulator_reset(sum, 0));
  CHECK_OK(bracket_accumulator_add(sum, elements, own < 1 ? own : 1));
  CHECK_OK(bracket_accumulator_value(sum, &result));
  CHECK(result == (own < 1 ? 0 : elements[0]));
  CHECK_OK(bracket_accumulator_free(&other));
  CHECK_OK(bracket_accumulator_free(&sum));
  CHECK(sum == NULL);
  CHECK_OK(bracket_accumulator_free(&sum));
}

/* Only the root has a result. */
static void test_root(void) {
  const bracket_settings settings = {
      .bytes = sizeof settings, .rooted = 1, .root = ranks - 1, .algorithm = "tree"};
  bracket_accumulator* greatest = NULL;
  CHECK_OK(bracket_accumulator_create(BRACKET_FLOAT32, BRACKET_MAXIMUM_LOCATION, rank, &settings,
                                      &greatest));
  const float element = (float)(rank % 2);
  CHECK_OK(bracket_accumulator_add(greatest, &element, 1));
  bracket_located_float32 result = {-1, -1};
  const int is_root = rank == ranks - 1;
  CHECK_OK(bracket_accumulator_reduce(greatest, MPI_COMM_WORLD, is_root ? &result : NULL));
  if (is_root) {
    CHECK(result.value == (ranks > 1) && result.index == (ranks > 1));
  }
  CHECK_OK(bracket_accumulator_free(&greatest));
}

static void test_failures(void) {
  bracket_accumulator* sum = NULL;
  const bracket_settings sequential = {.bytes = sizeof sequential, .algorithm = "sequential"};
  CHECK_FAILS(bracket_accumulator_create(BRACKET_FLOAT64, BRACKET_SUM, 0, &sequential, &sum),
              BRACKET_BAD_INPUT, "an accumulator cannot compute sequential");
  CHECK(sum == NULL);
  CHECK_FAILS(bracket_accumulator_create(BRACKET_SUM, BRACKET_SUM, 0, NULL, &sum),
              BRACKET_BAD_INPUT, "a type was expected");
  CHECK_FAILS(bracket_accumulator_create(BRACKET_FLOAT64, BRACKET_SUM, 0, NULL, NULL),
              BRACKET_BAD_INPUT, "the place of the accumulator is NULL");
  CHECK_FAILS(bracket_accumulator_add(NULL, NULL, 0), BRACKET_BAD_INPUT,
              "the accumulator is NULL: not created, or freed");
  CHECK_OK(bracket_accumulator_create(BRACKET_FLOAT64, BRACKET_SUM, 3, NULL, &sum));
  CHECK_FAILS(bracket_accumulator_add(sum, NULL, 1), BRACKET_BAD_INPUT, "no array of elements");
  CHECK_FAILS(bracket_accumulator_add_other(sum, NULL), BRACKET_BAD_INPUT,
              "the accumulator is NULL");
  CHECK_FAILS(bracket_accumulator_value(sum, NULL), BRACKET_BAD_INPUT,
              "the place of the result is NULL");
  CHECK_FAILS(bracket_accumulator_count(sum, NULL), BRACKET_BAD_INPUT,
              "the place of the answer is NULL");
  CHECK_FAILS(bracket_accumulator_reset(sum, -1), BRACKET_BAD_INPUT,
              "the first global index is -1");
  const double one = 1;
  double result = 0;
  CHECK_OK(bracket_accumulator_add(sum, &one, 1));
  CHECK_FAILS(bracket_accumulator_reduce(sum, MPI_COMM_WORLD, &result), BRACKET_COLLECTIVE,
              "begins at the global index 3");
  CHECK_OK(bracket_accumulator_reset(sum, 0));
  CHECK_FAILS(rank == ranks - 1 ? bracket_accumulator_refuse(MPI_COMM_WORLD, "not today")
                                : bracket_accumulator_reduce(sum, MPI_COMM_WORLD, &result),
              BRACKET_COLLECTIVE, "not today");
  CHECK_FAILS(bracket_accumulator_reduce(sum, MPI_COMM_WORLD, rank == 0 ? NULL : &result),
              BRACKET_COLLECTIVE, "no place for the result");
  CHECK_OK(bracket_accumulator_free(&sum));
}

void test_accumulators(void) {
  test_sum("tree");
  test_sum("binned:2");
  test_sum("double-double");
  test_sum("stochastic");
  test_root();
  test_failures();
}
