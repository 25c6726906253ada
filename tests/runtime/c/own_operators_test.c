/* SPDX-License-Identifier: MIT */

/* Custom operators, not commutative or not associative, for elements of odd sizes. */

#include "check.h"

enum { count = 41 };

/* 12 bytes. The operator composes maps x -> (a x + b) mod m. It is associative, so a loop gives the
 * tree's result, but not commutative. */
struct map {
  int32_t a, b, calls;
};

static void compose(const void* left, const void* right, void* result, void* context) {
  const struct map* const l = left;
  const struct map* const r = right;
  const int32_t modulus = *(const int32_t*)context;
  const struct map both = {r->a * l->a % modulus, (r->a * l->b + r->b) % modulus,
                           l->calls + r->calls + 1};
  memcpy(result, &both, sizeof both);
}

static struct map map_of(int64_t i) {
  const struct map map = {(int32_t)(i % 5 + 2), (int32_t)(i % 7), 0};
  return map;
}

static void test_maps(void) {
  int32_t modulus = 101;
  const int64_t first = share(count, rank), own = share(count, rank + 1) - first;
  struct map maps[2 * count];
  memset(maps, 0x55, sizeof maps);
  for (int64_t i = 0; i < own; ++i) maps[2 * i] = map_of(first + i);
  struct map expected = map_of(0);
  for (int64_t i = 1; i < count; ++i) {
    const struct map next = map_of(i);
    compose(&expected, &next, &expected, &modulus);
  }
  const int64_t stride = 2 * (int64_t)sizeof(struct map);
  const bracket_field strided = {.elements = {1, &own, NULL, NULL, &stride}};
  const bracket_field fields[] = {strided, strided};
  bracket_reducer* reducer = NULL;
  CHECK_OK(bracket_reducer_create_own(MPI_COMM_WORLD, sizeof(struct map), compose, &modulus, fields,
                                      2, NULL, &reducer));
  const bracket_arrays arrays[] = {{.elements = maps}, {.elements = maps}};
  struct map results[3] = {{9, 9, 9}, {9, 9, 9}, {9, 9, 9}};
  CHECK_OK(bracket_reducer_run(reducer, arrays, results));
  CHECK(memcmp(&results[0], &expected, sizeof expected) == 0);
  CHECK(memcmp(&results[1], &expected, sizeof expected) == 0);
  CHECK(results[2].a == 9);

  /* Now contiguous, and nonblocking. */
  for (int64_t i = 0; i < own; ++i) maps[i] = map_of(first + i);
  const bracket_layout close = {1, &own, NULL, NULL, NULL};
  CHECK_OK(bracket_reducer_move(reducer, 1, &close, NULL));
  CHECK_OK(bracket_reducer_move(reducer, 0, &close, NULL));
  memset(results, 0, sizeof results);
  CHECK_OK(bracket_reducer_start(reducer, arrays, results));
  CHECK_OK(bracket_reducer_wait(reducer));
  CHECK(memcmp(&results[1], &expected, sizeof expected) == 0 && results[2].a == 0);
  CHECK_OK(bracket_reducer_free(&reducer));
}

/* For any size: three times each byte of the left operand, plus the right's and the position. It is
 * not associative, so the expected result follows the tree. */
static void mix(const void* left, const void* right, void* result, void* context) {
  const int64_t bytes = *(const int64_t*)context;
  for (int64_t i = 0; i < bytes; ++i) {
    ((unsigned char*)result)[i] =
        (unsigned char)(3 * ((const unsigned char*)left)[i] + ((const unsigned char*)right)[i] + i);
  }
}

static void tree(const unsigned char* all, int64_t bytes, int64_t begin, int64_t end,
                 unsigned char* result) {
  if (end - begin == 1) {
    memcpy(result, all + begin * bytes, (size_t)bytes);
    return;
  }
  int64_t half = 1;
  while (2 * half < end - begin) half *= 2;
  unsigned char left[BRACKET_MOST_BYTES], right[BRACKET_MOST_BYTES];
  tree(all, bytes, begin, begin + half, left);
  tree(all, bytes, begin + half, end, right);
  mix(left, right, result, &bytes);
}

static void test_sizes(void) {
  const int64_t sizes[] = {1, 2, 3, 7, 8, 16, 17, 31, 32, 33, 64, 100, 128, 200, 255, 256};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
    int64_t bytes = sizes[s];
    unsigned char* const all = malloc((size_t)(count * bytes));
    for (int64_t i = 0; i < count * bytes; ++i) all[i] = (unsigned char)(i * i + 5 * i);
    const int64_t first = share(count, rank), own = share(count, rank + 1) - first;
    /* The array ends with these elements: further bytes must not be read. */
    unsigned char* const mine = malloc((size_t)(own * bytes) + 1);
    memcpy(mine, all + first * bytes, (size_t)(own * bytes));
    const bracket_field field = {.elements = {1, &own, NULL, NULL, NULL}};
    const bracket_arrays arrays = {.elements = mine};
    unsigned char expected[BRACKET_MOST_BYTES], result[BRACKET_MOST_BYTES + 1];
    memset(result, 0xee, sizeof result);
    tree(all, bytes, 0, count, expected);
    bracket_reducer* reducer = NULL;
    CHECK_OK(
        bracket_reducer_create_own(MPI_COMM_WORLD, bytes, mix, &bytes, &field, 1, NULL, &reducer));
    CHECK_OK(bracket_reducer_run(reducer, &arrays, result));
    CHECK(memcmp(result, expected, (size_t)bytes) == 0);
    CHECK(result[bytes] == 0xee);
    CHECK_OK(bracket_reducer_free(&reducer));
    free(mine);
    free(all);
  }
}

static void test_refusals(void) {
  const bracket_field field = {.elements = {0, NULL, NULL, NULL, NULL}};
  const bracket_field product = {.elements = {0, NULL, NULL, NULL, NULL},
                                 .factors = &field.elements};
  int64_t bytes = 8;
  bracket_reducer* reducer = NULL;
  CHECK_FAILS(
      bracket_reducer_create_own(MPI_COMM_WORLD, 257, mix, &bytes, &field, 1, NULL, &reducer),
      BRACKET_COLLECTIVE, "elements of 257 bytes: they have 1 to 256");
  CHECK_FAILS(
      bracket_reducer_create_own(MPI_COMM_WORLD, -1, mix, &bytes, &field, 1, NULL, &reducer),
      BRACKET_COLLECTIVE, "elements of -1 bytes");
  CHECK_FAILS(bracket_reducer_create_own(MPI_COMM_WORLD, 8, NULL, NULL, &field, 1, NULL, &reducer),
              BRACKET_COLLECTIVE, "no function");
  CHECK_FAILS(
      bracket_reducer_create_own(MPI_COMM_WORLD, 8, mix, &bytes, &product, 1, NULL, &reducer),
      BRACKET_COLLECTIVE, "products");
  const bracket_settings settings = {.bytes = sizeof settings, .algorithm = "binned"};
  CHECK_FAILS(
      bracket_reducer_create_own(MPI_COMM_WORLD, 8, mix, &bytes, &field, 1, &settings, &reducer),
      BRACKET_COLLECTIVE, "binned:3 does not support an operator of your own");
  if (ranks > 1) {
    CHECK_FAILS(bracket_reducer_create_own(MPI_COMM_WORLD, rank == 0 ? 8 : 9, mix, &bytes, &field,
                                           1, NULL, &reducer),
                BRACKET_COLLECTIVE, "different types");
  }
  CHECK(reducer == NULL);
}

void test_own_operators(void) {
  test_maps();
  test_sizes();
  test_refusals();
}
