/* SPDX-License-Identifier: MIT */

/* Sums 1 / k for k from 1 to N without an array of these numbers. The program exists in C, C++,
 * Fortran and Python. It prints the same lines on any number of ranks. */

#include <bracket.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double element(int64_t k) { return 1.0 / (double)k; }

static void check(int code) {
  if (code == BRACKET_OK) return;
  fprintf(stderr, "%s\n", bracket_message());
  MPI_Abort(MPI_COMM_WORLD, 2);
}

static void add(bracket_accumulator* sum, double number) {
  check(bracket_accumulator_add(sum, &number, 1));
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

  /* The ranks take turns: binned sums do not depend on the sequence. */
  const bracket_settings settings = {.bytes = sizeof settings, .algorithm = "binned"};
  bracket_accumulator* binned;
  check(bracket_accumulator_create(BRACKET_FLOAT64, BRACKET_SUM, 0, &settings, &binned));
  for (int64_t k = rank + 1; k <= elements; k += ranks) add(binned, element(k));

  /* Each rank has a slab of the sequence, which begins at a global index. */
  const int64_t first = elements * rank / ranks, end = elements * (rank + 1) / ranks;
  bracket_accumulator* tree;
  check(bracket_accumulator_create(BRACKET_FLOAT64, BRACKET_SUM, first, NULL, &tree));
  for (int64_t i = first; i < end; ++i) add(tree, element(i + 1));

  double sums[2];
  check(bracket_accumulator_reduce(binned, MPI_COMM_WORLD, &sums[0]));
  check(bracket_accumulator_reduce(tree, MPI_COMM_WORLD, &sums[1]));
  if (rank == 0) {
    printf("binned %016" PRIX64 "\n", bits(sums[0]));
    printf("tree %016" PRIX64 "\n", bits(sums[1]));
  }
  check(bracket_accumulator_free(&binned));
  check(bracket_accumulator_free(&tree));
  MPI_Finalize();
  return 0;
}
