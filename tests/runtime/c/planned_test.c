/* SPDX-License-Identifier: MIT */

/* Reducers as a plan file says. The file is for chunks of three elements and gives rank 0 all of
 * them. */

#include "check.h"

enum { count = 100 };

static double element(int64_t i) { return 1.0 / (double)(i + 1); }

/* Chunks of three from left to right, then the binary tree over the chunks. */
static double tree_of_chunks(int64_t begin, int64_t end) {
  if (end - begin <= 3) {
    double sum = element(begin);
    for (int64_t i = begin + 1; i < end; ++i) sum += element(i);
    return sum;
  }
  int64_t half = 3;
  while (2 * half < end - begin) half *= 2;
  return tree_of_chunks(begin, begin + half) + tree_of_chunks(begin + half, end);
}

static void write_plan(const char* path) {
  FILE* const file = fopen(path, "w");
  CHECK(file != NULL);
  if (file == NULL) return;
  fprintf(
      file,
      "{\"format\":\"bracket-plan\",\"version\":1,\"made_by\":\"a test\",\"objective\":\"score\","
      "\"ranks\":%d,\"collective\":\"all-reduce\",\"root\":0,\"items\":1,"
      "\"machine\":{\"format\":\"bracket-machine\",\"version\":2,\"name\":\"default\","
      "\"source\":\"\",\"latency_seconds\":1e-7,\"overhead_seconds\":7e-8,\"gap_seconds\":7e-8,"
      "\"gap_seconds_per_byte\":1e-10,\"overhead_seconds_per_byte\":0.0,"
      "\"seconds_per_addition\":4e-9,\"eager_bytes\":null},\"budget\":0,\"seed\":1,"
      "\"plans\":[{\"elements\":[%d,%d],\"order\":\"chunked-tree:3\",\"order_version\":1,"
      "\"plan\":\"butterfly:1024\",\"distribution\":{\"format\":\"bracket-distribution\","
      "\"version\":1,\"elements\":%d,\"ranks\":%d,\"counts\":[%d",
      ranks, (int)count, (int)count, (int)count, ranks, (int)count);
  for (int k = 1; k < ranks; ++k) fprintf(file, ",0");
  fprintf(file, "]},\"predicted\":{\"score\":1e-6}}]}\n");
  CHECK(fclose(file) == 0);
}

void test_planned(void) {
  char path[64];
  snprintf(path, sizeof path, "planned_by_c_%d.json", ranks);
  if (rank == 0) write_plan(path);
  MPI_Barrier(MPI_COMM_WORLD);

  bracket_planned* planned = NULL;
  CHECK_OK(bracket_planned_read(MPI_COMM_WORLD, path, count, &planned));
  int64_t begin = -1, end = -1;
  CHECK_OK(bracket_planned_held(planned, &begin, &end));
  CHECK(begin == (rank == 0 ? 0 : count) && end == count);
  const int64_t own = end - begin;
  double values[count];
  for (int64_t i = 0; i < own; ++i) values[i] = element(begin + i);
  const bracket_field field = {.elements = {1, &own, NULL, NULL, NULL}};
  bracket_settings settings = {.bytes = sizeof settings, .planned = planned};
  bracket_reducer* reducer = NULL;
  CHECK_OK(bracket_reducer_create(MPI_COMM_WORLD, BRACKET_FLOAT64, BRACKET_SUM, &field, 1,
                                  &settings, &reducer));
  double sum = 0;
  const bracket_arrays arrays = {.elements = values};
  CHECK_OK(bracket_reducer_run(reducer, &arrays, &sum));
  CHECK(sum == tree_of_chunks(0, count));
  CHECK_OK(bracket_reducer_free(&reducer));

  /* Another distribution of the elements, and settings that the file has. */
  const int64_t other = share(count, rank + 1) - share(count, rank);
  const bracket_field elsewhere = {.elements = {1, &other, NULL, NULL, NULL}};
  if (ranks > 1) {
    CHECK_FAILS(bracket_reducer_create(MPI_COMM_WORLD, BRACKET_FLOAT64, BRACKET_SUM, &elsewhere, 1,
                                       &settings, &reducer),
                BRACKET_COLLECTIVE, "rank 0");
  }
  settings.algorithm = "tree";
  CHECK_FAILS(bracket_reducer_create(MPI_COMM_WORLD, BRACKET_FLOAT64, BRACKET_SUM, &field, 1,
                                     &settings, &reducer),
              BRACKET_COLLECTIVE, "are those of the plan file: leave them out");
  bracket_planned_free(&planned);
  CHECK(planned == NULL);
  bracket_planned_free(&planned);

  CHECK_FAILS(bracket_planned_read(MPI_COMM_WORLD, path, count + 1, &planned), BRACKET_COLLECTIVE,
              "101");
  CHECK(planned == NULL);
  CHECK_FAILS(
      bracket_planned_read(MPI_COMM_WORLD, rank == ranks - 1 ? "none.json" : path, count, &planned),
      BRACKET_COLLECTIVE, "none.json");
  CHECK_FAILS(bracket_planned_read(MPI_COMM_WORLD, NULL, count, &planned), BRACKET_COLLECTIVE,
              "the path of the plan file is NULL");
  CHECK_FAILS(bracket_planned_held(NULL, &begin, &end), BRACKET_BAD_INPUT, "is NULL");
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) remove(path);
}
