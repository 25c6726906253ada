/* SPDX-License-Identifier: MIT */

/* Compares every type and operator with a loop. The elements are small integers, with the same
 * result for every bracketing. The last tests use other elements and compute the tree. */

#include <complex.h>
#include <stddef.h>

#include "check.h"

enum { elements = 53, spread = 3 };

static int any(int64_t i) { return (int)(i * 37 % 101) - 50; }
static int small_factor(int64_t i) { return i % 13 == 0 ? 2 : i % 3 == 0 ? -1 : 1; }

/* Reduces elements with a stride in the middle of an array. */
static void reduce(int type, int op, size_t bytes, const void* array, int64_t own, void* result) {
  const int64_t extent = own + 3, begin = 2, end = own + 2, stride = (int64_t)(spread * bytes);
  const bracket_field field = {.elements = {1, &extent, &begin, &end, &stride}};
  const bracket_arrays arrays = {.elements = array};
  bracket_reducer* reducer = NULL;
  CHECK_OK(bracket_reducer_create(MPI_COMM_WORLD, type, op, &field, 1, NULL, &reducer));
  CHECK_OK(bracket_reducer_run(reducer, &arrays, result));
  CHECK_OK(bracket_reducer_free(&reducer));
}

#define FILL(value)                                                                     \
  const int64_t first = share(elements, rank), own = share(elements, rank + 1) - first; \
  memset(array, 0x7f, sizeof array);                                                    \
  for (int64_t i = 0; i < own; ++i) array[(i + 2) * spread] = value(first + i)

#define NUMBERS(name, Number)                                                                    \
  static void reduce_##name(int type) {                                                          \
    Number array[(elements + 3) * spread], result = 0, sum = 0, product = 1;                     \
    FILL((Number)any);                                                                           \
    for (int64_t i = 0; i < elements; ++i) sum += (Number)any(i);                                \
    reduce(type, BRACKET_SUM, sizeof(Number), array, own, &result);                              \
    CHECK(result == sum);                                                                        \
    for (int64_t i = 0; i < own; ++i) array[(i + 2) * spread] = (Number)small_factor(first + i); \
    for (int64_t i = 0; i < elements; ++i) product *= (Number)small_factor(i);                   \
    reduce(type, BRACKET_PRODUCT, sizeof(Number), array, own, &result);                          \
    CHECK(result == product);                                                                    \
  }

#define ORDERED(name, Number)                                                              \
  static void order_##name(int type) {                                                     \
    Number array[(elements + 3) * spread], result = 0;                                     \
    bracket_located_##name least = {(Number)any(0), 0}, most = {(Number)any(0), 0}, found; \
    FILL((Number)any);                                                                     \
    for (int64_t i = 0; i < elements; ++i) {                                               \
      if ((Number)any(i) < least.value) least.value = (Number)any(i), least.index = i;     \
      if ((Number)any(i) > most.value) most.value = (Number)any(i), most.index = i;        \
    }                                                                                      \
    reduce(type, BRACKET_MINIMUM, sizeof(Number), array, own, &result);                    \
    CHECK(result == least.value);                                                          \
    reduce(type, BRACKET_MAXIMUM, sizeof(Number), array, own, &result);                    \
    CHECK(result == most.value);                                                           \
    reduce(type, BRACKET_MINIMUM_LOCATION, sizeof(Number), array, own, &found);            \
    CHECK(found.value == least.value && found.index == least.index);                       \
    reduce(type, BRACKET_MAXIMUM_LOCATION, sizeof(Number), array, own, &found);            \
    CHECK(found.value == most.value && found.index == most.index);                         \
  }

NUMBERS(int32, int32_t)
NUMBERS(int64, int64_t)
NUMBERS(uint32, uint32_t)
NUMBERS(uint64, uint64_t)
NUMBERS(float32, float)
NUMBERS(float64, double)
ORDERED(int32, int32_t)
ORDERED(int64, int64_t)
ORDERED(uint32, uint32_t)
ORDERED(uint64, uint64_t)
ORDERED(float32, float)
ORDERED(float64, double)

static double complex any_complex(int64_t i) { return any(i) + any(i + 7) * I; }
static double complex turned(int64_t i) { return i % 5 == 0 ? I : small_factor(i); }

#define COMPLEXES(name, Complex)                                                   \
  static void reduce_##name(int type) {                                            \
    Complex array[(elements + 3) * spread], result = 0, sum = 0, product = 1;      \
    FILL(any_complex);                                                             \
    for (int64_t i = 0; i < elements; ++i) sum += (Complex)any_complex(i);         \
    reduce(type, BRACKET_SUM, sizeof(Complex), array, own, &result);               \
    CHECK(result == sum);                                                          \
    for (int64_t i = 0; i < own; ++i) array[(i + 2) * spread] = turned(first + i); \
    for (int64_t i = 0; i < elements; ++i) product *= (Complex)turned(i);          \
    reduce(type, BRACKET_PRODUCT, sizeof(Complex), array, own, &result);           \
    CHECK(result == product);                                                      \
  }

COMPLEXES(complex64, float complex)
COMPLEXES(complex128, double complex)

/* Elements whose sum has different bits for each bracketing. */
static double awkward(int64_t i) { return (i % 2 == 0 ? 1e10 : -1e10) / (double)(i + 1); }

static double tree(int64_t begin, int64_t end) {
  if (end - begin == 1) return awkward(begin);
  int64_t half = 1;
  while (2 * half < end - begin) half *= 2;
  return tree(begin, begin + half) + tree(begin + half, end);
}

static double chunked_tree(int64_t chunk, int64_t begin, int64_t end) {
  if (end - begin <= chunk) {
    double sum = awkward(begin);
    for (int64_t i = begin + 1; i < end; ++i) sum += awkward(i);
    return sum;
  }
  int64_t half = chunk;
  while (2 * half < end - begin) half *= 2;
  return chunked_tree(chunk, begin, begin + half) + chunked_tree(chunk, begin + half, end);
}

static void test_algorithms(void) {
  enum { count = 1000 };
  double array[count];
  const int64_t first = share(count, rank), own = share(count, rank + 1) - first;
  for (int64_t i = 0; i < own; ++i) array[i] = awkward(first + i);
  double total = 0;
  CHECK_OK(bracket_sum_double(MPI_COMM_WORLD, array, own, &total));
  CHECK(total == tree(0, count));
  double binned = 0;
  CHECK_OK(bracket_binned_sum_double(MPI_COMM_WORLD, array, own, &binned));

  const bracket_field field = {.elements = {1, &own, NULL, NULL, NULL}};
  const bracket_arrays arrays = {.elements = array};
  double exact = 0;
  long double reference = 0;
  for (int64_t i = 0; i < count; ++i) reference += awkward(i);
  enum { in_tree, in_chunks, in_bins, in_double_double, in_samples };
  const char* const algorithms[] = {"tree", "chunked-tree:7", "binned", "double-double",
                                    "stochastic"};
  for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; ++i) {
    const bracket_settings settings = {
        .bytes = sizeof settings,
        .algorithm = algorithms[i],
        .rooted = 1,
        .root = ranks - 1,
        .plan = "aggregated",
        .kernel = "scalar",
        .memory = rank % 2 == 0 && i != in_samples ? "emulated" : NULL};
    bracket_reducer* reducer = NULL;
    CHECK_OK(bracket_reducer_create(MPI_COMM_WORLD, BRACKET_FLOAT64, BRACKET_SUM, &field, 1,
                                    &settings, &reducer));
    int delivers = -1;
    CHECK_OK(bracket_reducer_delivers(reducer, &delivers));
    CHECK(delivers == (rank == ranks - 1));
    total = -1;
    CHECK_OK(bracket_reducer_run(reducer, &arrays, delivers ? &total : NULL));
    if (delivers && i == in_tree) CHECK(total == tree(0, count));
    if (delivers && i == in_chunks) CHECK(total == chunked_tree(7, 0, count));
    if (delivers && i == in_bins) CHECK((exact = total) == binned && binned == (double)reference);
    if (delivers && i == in_double_double) CHECK(total == exact);
    if (delivers && i == in_samples) CHECK(total - exact < 1e-3 && exact - total < 1e-3);
    CHECK_OK(bracket_reducer_free(&reducer));
    CHECK(reducer == NULL);
  }
}

/* Enough elements for a rank to use its threads. */
static void test_threads(void) {
  enum { count = 60000 };
  double* const array = malloc(count * sizeof *array);
  const int64_t first = share(count, rank), own = share(count, rank + 1) - first;
  for (int64_t i = 0; i < own; ++i) array[i] = awkward(first + i);
  const bracket_field field = {.elements = {1, &own, NULL, NULL, NULL}};
  const bracket_arrays arrays = {.elements = array};
  const bracket_settings settings = {.bytes = sizeof settings, .threads = 2};
  bracket_reducer* reducer = NULL;
  CHECK_OK(bracket_reducer_create(MPI_COMM_WORLD, BRACKET_FLOAT64, BRACKET_SUM, &field, 1,
                                  &settings, &reducer));
  double total = 0;
  CHECK_OK(bracket_reducer_run(reducer, &arrays, &total));
  CHECK(total == tree(0, count));
  CHECK_OK(bracket_reducer_free(&reducer));
  free(array);
}

/* Compares digests of one set of elements in two sequences. */
static void test_digests(void) {
  double forward[3], backward[3];
  for (int i = 0; i < 3; ++i) {
    forward[i] = awkward(3 * rank + i);
    backward[i] = awkward(3 * ranks - 1 - (3 * rank + i));
  }
  const int64_t three = 3;
  const bracket_field field = {.elements = {1, &three, NULL, NULL, NULL}};
  bracket_reducer* reducer = NULL;
  CHECK_OK(bracket_reducer_create(MPI_COMM_WORLD, BRACKET_FLOAT64, BRACKET_DIGEST, &field, 1, NULL,
                                  &reducer));
  bracket_digest digests[3];
  const double* const arrays[] = {forward, forward, backward};
  for (int i = 0; i < 3; ++i) {
    const bracket_arrays array = {.elements = arrays[i]};
    CHECK_OK(bracket_reducer_run(reducer, &array, &digests[i]));
  }
  CHECK(memcmp(&digests[0], &digests[1], sizeof *digests) == 0);
  CHECK(digests[0].set == digests[2].set);
  CHECK(digests[0].sequence != digests[2].sequence);
  CHECK_OK(bracket_reducer_free(&reducer));
}

void test_types(void) {
  reduce_int32(BRACKET_INT32);
  reduce_int64(BRACKET_INT64);
  reduce_uint32(BRACKET_UINT32);
  reduce_uint64(BRACKET_UINT64);
  order_uint32(BRACKET_UINT32);
  order_uint64(BRACKET_UINT64);
  reduce_float32(BRACKET_FLOAT32);
  reduce_float64(BRACKET_FLOAT64);
  order_int32(BRACKET_INT32);
  order_int64(BRACKET_INT64);
  order_float32(BRACKET_FLOAT32);
  order_float64(BRACKET_FLOAT64);
  reduce_complex64(BRACKET_COMPLEX64);
  reduce_complex128(BRACKET_COMPLEX128);
  test_algorithms();
  test_threads();
  test_digests();
}
