/* SPDX-License-Identifier: MIT */

#include "check.h"

int failures = 0;
int rank = 0;
int ranks = 1;

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  test_types();
  test_arrays();
  test_fused();
  test_own_operators();
  test_accumulators();
#ifdef BRACKET_TEST_PLAN_FILES
  test_planned();
#endif
  test_errors();
  const int64_t one = 1;
  const bracket_field field = {.elements = {1, &one, NULL, NULL, NULL}};
  bracket_reducer* late = NULL;
  CHECK_OK(
      bracket_reducer_create(MPI_COMM_WORLD, BRACKET_FLOAT64, BRACKET_SUM, &field, 1, NULL, &late));
  bracket_accumulator* left = NULL;
  CHECK_OK(bracket_accumulator_create(BRACKET_FLOAT64, BRACKET_SUM, 0, NULL, &left));
  if (failures > 0) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Finalize();
  /* Calls after MPI_Finalize fail, but do not crash. */
  double number = 1;
  const bracket_arrays arrays = {.elements = &number};
  CHECK_FAILS(bracket_reducer_run(late, &arrays, &number), BRACKET_BAD_INPUT, "MPI was finalised");
  CHECK_FAILS(bracket_reducer_wait(late), BRACKET_BAD_INPUT, "MPI was finalised");
  CHECK_FAILS(bracket_sum_double(MPI_COMM_WORLD, &number, 1, &number), BRACKET_BAD_INPUT,
              "MPI was finalised");
  CHECK_OK(bracket_reducer_free(&late));
  CHECK_FAILS(bracket_accumulator_reduce(left, MPI_COMM_WORLD, &number), BRACKET_BAD_INPUT,
              "MPI was finalised");
  CHECK_OK(bracket_accumulator_add(left, &number, 1));
  CHECK_OK(bracket_accumulator_free(&left));
  return failures > 0;
}
