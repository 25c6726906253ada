/* SPDX-License-Identifier: MIT */

/* Layouts, products, several fields, distributions and the nonblocking form. The elements are small
 * integers, whose sum is the same for every bracketing. */

#include "check.h"

enum { cells = 29, levels = 4, ghosts = 2, most = 3 * (cells + ghosts) * levels };

static double any(int64_t cell, int64_t level) {
  return (double)((cell * 37 + level * 11) % 101 - 50);
}
static double mask(int64_t cell, int64_t level) { return (double)((cell + level) % 3); }

/* This rank's cells with ghosts, and the layout without the ghosts. */
struct slab {
  int64_t first, own;
  int64_t extents[2], end[2];
  double values[most], masks[most];
};

static void fill(struct slab* slab) {
  slab->first = share(cells, rank);
  slab->own = share(cells, rank + 1) - slab->first;
  slab->extents[0] = slab->own + ghosts;
  slab->extents[1] = levels;
  slab->end[0] = slab->own;
  slab->end[1] = levels - 1;
  for (int64_t i = 0; i < slab->extents[0]; ++i) {
    for (int64_t k = 0; k < levels; ++k) {
      slab->values[i * levels + k] = i < slab->own ? any(slab->first + i, k) : 1e300;
      slab->masks[i * levels + k] = i < slab->own ? mask(slab->first + i, k) : 1e300;
    }
  }
}

static void test_ranges_and_products(void) {
  struct slab slab;
  fill(&slab);
  double sum = 0, dot = 0;
  for (int64_t i = 0; i < cells; ++i) {
    for (int64_t k = 0; k < levels - 1; ++k) sum += any(i, k), dot += any(i, k) * mask(i, k);
  }
  const bracket_layout layout = {2, slab.extents, NULL, slab.end, NULL};
  const bracket_field fields[] = {{.elements = layout}, {.elements = layout, .factors = &layout}};
  const bracket_arrays arrays[] = {{.elements = slab.values},
                                   {.elements = slab.values, .factors = slab.masks}};
  for (int64_t count = 1; count <= 2; ++count) {
    bracket_reducer* reducer = NULL;
    CHECK_OK(bracket_reducer_create(MPI_COMM_WORLD, BRACKET_FLOAT64, BRACKET_SUM, fields, count,
                                    NULL, &reducer));
    double results[2] = {0, 0};
    CHECK_OK(bracket_reducer_run(reducer, arrays, results));
    CHECK(results[0] == sum);
    CHECK(results[1] == (count == 2 ? dot : 0));
    int64_t begin = -1, end = -1, total = -1, number = -1, sent = -1;
    CHECK_OK(bracket_reducer_held(reducer, count - 1, &begin, &end));
    CHECK(begin == slab.first * (levels - 1) && end - begin == slab.own * (levels - 1));
    CHECK_OK(bracket_reducer_elements(reducer, 0, &total));
    CHECK(total == cells * (levels - 1));
    CHECK_OK(bracket_reducer_fields(reducer, &number));
    CHECK(number == count);
    CHECK_OK(bracket_reducer_messages_sent(reducer, &sent));
    CHECK(sent > 0 || ranks == 1 || slab.own == 0);
    CHECK_OK(bracket_reducer_free(&reducer));
  }
}

/* The array is mirrored and transposed between two runs. */
static void test_moves(void) {
  struct slab slab;
  fill(&slab);
  double turned[most];
  for (int64_t i = 0; i < slab.own; ++i) {
    for (int64_t k = 0; k < levels - 1; ++k) {
      turned[k * (cells + 1) + slab.own - 1 - i] = slab.values[i * levels + k];
    }
  }
  const bracket_field field = {.elements = {2, slab.extents, NULL, slab.end, NULL}};
  bracket_reducer* reducer = NULL;
  CHECK_OK(bracket_reducer_create(MPI_COMM_WORLD, BRACKET_FLOAT64, BRACKET_MAXIMUM_LOCATION, &field,
                                  1, NULL, &reducer));
  bracket_located_float64 before = {0, -2}, after = {0, -3};
  const bracket_arrays arrays = {.elements = slab.values};
  CHECK_OK(bracket_reducer_run(reducer, &arrays, &before));
  CHECK(before.value == any(before.index / (levels - 1), before.index % (levels - 1)));
  const int64_t extents[] = {slab.own, levels - 1};
  const int64_t strides[] = {-(int64_t)sizeof(double), (cells + 1) * (int64_t)sizeof(double)};
  const bracket_layout layout = {2, extents, NULL, NULL, strides};
  CHECK_OK(bracket_reducer_move(reducer, 0, &layout, NULL));
  const bracket_arrays moved = {.elements = slab.own > 0 ? &turned[slab.own - 1] : turned};
  CHECK_OK(bracket_reducer_run(reducer, &moved, &after));
  CHECK(after.value == before.value && after.index == before.index);
  CHECK_OK(bracket_reducer_free(&reducer));
}

static void test_scalars_and_nothing(void) {
  const bracket_field scalar = {.elements = {0, NULL, NULL, NULL, NULL}};
  bracket_reducer* reducer = NULL;
  CHECK_OK(bracket_reducer_create(MPI_COMM_WORLD, BRACKET_INT64, BRACKET_SUM, &scalar, 1, NULL,
                                  &reducer));
  const int64_t number = rank + 1;
  int64_t total = 0;
  const bracket_arrays arrays = {.elements = &number};
  CHECK_OK(bracket_reducer_run(reducer, &arrays, &total));
  CHECK(total == (int64_t)ranks * (ranks + 1) / 2);
  CHECK_OK(bracket_reducer_free(&reducer));

  double nothing = 5;
  CHECK_OK(bracket_sum_double(MPI_COMM_WORLD, NULL, 0, &nothing));
  CHECK(nothing == 0);
}

/* Five dimensions; each but the last has a stride of its own. */
static void test_five_dimensions(void) {
  enum { length = 3 };
  int32_t array[2 * length * 2 * length * 2 * length * 2 * length * length];
  for (size_t i = 0; i < sizeof array / sizeof *array; ++i) array[i] = 1000;
  const int64_t extents[5] = {length, length, length, length, length};
  const int64_t begin[5] = {0, 1, 0, 1, 0}, end[5] = {3, 3, 2, 3, 3};
  int64_t strides[5];
  strides[4] = sizeof(int32_t);
  strides[3] = 2 * length * strides[4];
  for (int i = 2; i >= 0; --i) strides[i] = 2 * length * strides[i + 1];
  int64_t element = 0;
  for (int64_t a = begin[0]; a < end[0]; ++a)
    for (int64_t b = begin[1]; b < end[1]; ++b)
      for (int64_t c = begin[2]; c < end[2]; ++c)
        for (int64_t d = begin[3]; d < end[3]; ++d)
          for (int64_t e = begin[4]; e < end[4]; ++e) {
            const int64_t bytes =
                a * strides[0] + b * strides[1] + c * strides[2] + d * strides[3] + e * strides[4];
            array[bytes / (int64_t)sizeof(int32_t)] = element++ == 40 && rank == ranks - 1 ? -1 : 1;
          }
  const bracket_field field = {.elements = {5, extents, begin, end, strides}};
  const bracket_arrays arrays = {.elements = array};
  bracket_reducer* reducer = NULL;
  CHECK_OK(bracket_reducer_create(MPI_COMM_WORLD, BRACKET_INT32, BRACKET_MINIMUM_LOCATION, &field,
                                  1, NULL, &reducer));
  bracket_located_int32 found = {0, 0};
  CHECK_OK(bracket_reducer_run(reducer, &arrays, &found));
  CHECK(element == 72 && found.value == -1 && found.index == (ranks - 1) * element + 40);
  CHECK_OK(bracket_reducer_free(&reducer));
}

static void test_distributions(void) {
  int64_t* const boundaries = malloc(((size_t)ranks + 1) * sizeof *boundaries);
  for (int k = 0; k <= ranks; ++k) boundaries[k] = share(cells, k);
  const int64_t own = boundaries[rank + 1] - boundaries[rank];
  const bracket_field field = {.elements = {1, &own, NULL, NULL, NULL}, .distribution = boundaries};
  bracket_reducer* reducer = NULL;
  CHECK_OK(bracket_reducer_create(MPI_COMM_WORLD, BRACKET_FLOAT64, BRACKET_SUM, &field, 1, NULL,
                                  &reducer));
  double values[cells], total = 0;
  for (int64_t i = 0; i < own; ++i) values[i] = 1;
  const bracket_arrays arrays = {.elements = values};
  CHECK_OK(bracket_reducer_run(reducer, &arrays, &total));
  CHECK(total == cells);
  CHECK_OK(bracket_reducer_free(&reducer));
  free(boundaries);
}

/* Two reducers run at the same time, several times. */
static void test_nonblocking(void) {
  struct slab slab;
  fill(&slab);
  const bracket_field field = {.elements = {1, &slab.own, NULL, NULL, NULL}};
  bracket_reducer *sum = NULL, *least = NULL;
  CHECK_OK(
      bracket_reducer_create(MPI_COMM_WORLD, BRACKET_FLOAT64, BRACKET_SUM, &field, 1, NULL, &sum));
  CHECK_OK(bracket_reducer_create(MPI_COMM_WORLD, BRACKET_FLOAT64, BRACKET_MINIMUM, &field, 1, NULL,
                                  &least));
  for (int run = 1; run <= 3; ++run) {
    double ones[cells], total = 0, minimum = 0;
    for (int64_t i = 0; i < slab.own; ++i) ones[i] = run;
    const bracket_arrays arrays = {.elements = ones};
    CHECK_OK(bracket_reducer_start(sum, &arrays, &total));
    CHECK_OK(bracket_reducer_start(least, &arrays, &minimum));
    int complete = 0;
    while (!complete) CHECK_OK(bracket_reducer_test(sum, &complete));
    CHECK(total == (double)run * cells);
    CHECK_OK(bracket_reducer_wait(least));
    CHECK(minimum == run);
    CHECK_OK(bracket_reducer_test(least, &complete));
    CHECK(complete == 1);
  }
  CHECK_OK(bracket_reducer_free(&sum));
  CHECK_OK(bracket_reducer_free(&least));
}

void test_arrays(void) {
  test_ranges_and_products();
  test_moves();
  test_scalars_and_nothing();
  test_five_dimensions();
  test_distributions();
  test_nonblocking();
}
