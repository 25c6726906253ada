/* SPDX-License-Identifier: MIT */

/* Mean and variance of 1 / k for k from 1 to N, by an operator of the program. The program exists
 * in C, C++, Fortran and Python.
 *
 *   moments [N] [PLAN.json]
 *
 * It prints the same lines on any number of ranks, and with any plan file of `bracket tune` for N
 * elements in tree order. Compile it with -ffp-contract=off, as for any own operator. */

#include <bracket.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct moments {
  double count;
  double mean;
  double squares; /* of the differences to the mean */
};

static void merge(const void* left, const void* right, void* result, void* context) {
  const struct moments* const a = left;
  const struct moments* const b = right;
  struct moments* const both = result;
  const double apart = b->mean - a->mean;
  (void)context;
  both->count = a->count + b->count;
  both->mean = a->mean + apart * b->count / both->count;
  both->squares = a->squares + b->squares + apart * apart * a->count * b->count / both->count;
}

static void check(int code) {
  if (code == BRACKET_OK) return;
  fprintf(stderr, "%s\n", bracket_message());
  MPI_Abort(MPI_COMM_WORLD, 2);
}

static uint64_t bits(double number) {
  uint64_t result;
  memcpy(&result, &number, sizeof result);
  return result;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int64_t elements = argc > 1 ? atoll(argv[1]) : 1000;

  /* Without a plan file, each rank has a block of the elements. */
  int64_t begin = elements * rank / ranks, end = elements * (rank + 1) / ranks;
  bracket_planned* planned = NULL;
  if (argc > 2) {
    check(bracket_planned_read(MPI_COMM_WORLD, argv[2], elements, &planned));
    check(bracket_planned_held(planned, &begin, &end));
  }

  const int64_t own = end - begin;
  struct moments* const mine = malloc(((size_t)own + 1) * sizeof *mine);
  if (mine == NULL) MPI_Abort(MPI_COMM_WORLD, 2);
  for (int64_t i = 0; i < own; ++i) {
    mine[i] = (struct moments){.count = 1, .mean = 1.0 / (double)(begin + i + 1)};
  }
  const bracket_settings settings = {.bytes = sizeof settings, .planned = planned};
  const bracket_field field = {.elements = {.dimensions = 1, .extents = &own}};
  bracket_reducer* all;
  check(bracket_reducer_create_own(MPI_COMM_WORLD, sizeof *mine, merge, NULL, &field, 1, &settings,
                                   &all));
  struct moments result = {0};
  const bracket_arrays arrays = {.elements = mine};
  check(bracket_reducer_run(all, &arrays, &result));
  /* Rank 0, or the plan's root, prints. */
  int delivers, first;
  check(bracket_reducer_delivers(all, &delivers));
  const int with_result = delivers ? rank : ranks;
  MPI_Allreduce(&with_result, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (rank == first) {
    printf("mean %016" PRIX64 "\n", bits(result.mean));
    printf("variance %016" PRIX64 "\n", bits(result.squares / result.count));
  }
  check(bracket_reducer_free(&all));
  bracket_planned_free(&planned);
  free(mine);
  MPI_Finalize();
  return 0;
}
