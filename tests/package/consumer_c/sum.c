/* SPDX-License-Identifier: MIT */

#include <bracket.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const double mine = rank + 1;
  double total = 0;
  if (bracket_sum_double(MPI_COMM_WORLD, &mine, 1, &total) != BRACKET_OK) {
    fprintf(stderr, "%s\n", bracket_message());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (rank == 0) printf("%g\n", total);
  MPI_Finalize();
  return 0;
}
