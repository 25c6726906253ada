/* SPDX-License-Identifier: MIT */

/* Calls reductions with arguments that MPI refuses, on 2 ranks. Prints on rank 0 whether each call
   returned an error, and the result of a correct call at the end. The errors are those of the MPI
   library: the test compares the output with that of a run without a preloaded library. */

#include <mpi.h>
#include <stdio.h>

static int rank;

static void show(const char* what, int code) {
  if (rank == 0) printf("%s: %s\n", what, code == MPI_SUCCESS ? "success" : "an error");
}

static void add_pairs(void* left, void* right, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < 2 * *count; ++i) ((double*)right)[i] += ((double*)left)[i];
}

static void handles(void) {
  double mine[] = {1, 2};
  double result[2];
  MPI_Datatype pair;
  MPI_Op add;
  MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
  MPI_Op_create(add_pairs, 1, &add);
  show("no communicator", MPI_Allreduce(mine, result, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_NULL));
  show("a communicator of zero bytes",
       MPI_Allreduce(mine, result, 1, MPI_DOUBLE, MPI_SUM, (MPI_Comm)0));
  show("no operator", MPI_Allreduce(mine, result, 1, MPI_DOUBLE, MPI_OP_NULL, MPI_COMM_WORLD));
  show("no type", MPI_Allreduce(mine, result, 1, MPI_DATATYPE_NULL, MPI_SUM, MPI_COMM_WORLD));
  show("a type that is not committed", MPI_Allreduce(mine, result, 1, pair, add, MPI_COMM_WORLD));
  MPI_Type_commit(&pair);
  show("sums of pairs", MPI_Allreduce(mine, result, 1, pair, MPI_SUM, MPI_COMM_WORLD));
  MPI_Op_free(&add);
  MPI_Type_free(&pair);
}

static void buffers(void) {
  double mine[] = {1, 2};
  const int counts[] = {1, 1};
  MPI_Request request = MPI_REQUEST_NULL;
  show("both in place",
       MPI_Allreduce(MPI_IN_PLACE, MPI_IN_PLACE, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
  show("output in place",
       MPI_Allreduce(mine, MPI_IN_PLACE, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
  show("non-blocking, both in place", MPI_Iallreduce(MPI_IN_PLACE, MPI_IN_PLACE, 1, MPI_DOUBLE,
                                                     MPI_SUM, MPI_COMM_WORLD, &request));
  show("reduce, output in place",
       MPI_Reduce(mine, MPI_IN_PLACE, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_SELF));
  show("reduce-scatter, output in place",
       MPI_Reduce_scatter(mine, MPI_IN_PLACE, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
  show("scan, output in place",
       MPI_Scan(mine, MPI_IN_PLACE, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
  show("a root that is no rank",
       MPI_Reduce(mine, mine + 1, 1, MPI_DOUBLE, MPI_SUM, 2, MPI_COMM_WORLD));
  show("one buffer twice", MPI_Reduce(mine, mine, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_SELF));
#ifdef MPICH
  show("one buffer twice in all-reduce",
       MPI_Allreduce(mine, mine, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
  show("no input", MPI_Allreduce(NULL, mine, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
  show("no output", MPI_Allreduce(mine, NULL, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
#endif
#ifdef OPEN_MPI
  show("a negative count", MPI_Allreduce(mine, mine + 1, -1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
#endif
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  handles();
  buffers();
  const double mine = rank + 1;
  double sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("sum: %g\n", sum);
  MPI_Finalize();
}
