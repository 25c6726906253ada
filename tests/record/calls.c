/* SPDX-License-Identifier: MIT */

/* Calls every reduction once or more, on 3 ranks. The test knows the inputs and results. With the
   argument `kill`, `terminate`, `abort`, `crash` or `exit`, rank 1 ends in this way after the first
   call; with `thread`, by a signal in a second thread after many calls; with `kill-later`, after
   another call more than a second later. With `repeat`, it calls
   reductions from one place over and over instead, and with `reuse`, with handles that it frees. */

#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(OPEN_MPI) && MPI_VERSION < 4
#include <mpi-ext.h>
#define MPI_Allreduce_init MPIX_Allreduce_init
#endif

static int rank;

/* Adds pairs of doubles, or doubles: the items of the types below. */
void add_pairs(void* left, void* right, int* count, MPI_Datatype* type) {
  MPI_Aint lower;
  MPI_Aint extent;
  MPI_Type_get_extent(*type, &lower, &extent);
  for (int i = 0; i < *count; ++i) {
    double* const from = (double*)((char*)left + i * extent);
    double* const to = (double*)((char*)right + i * extent);
    to[0] += from[0];
    to[2] += from[2];
  }
}

enum { most_items = 20 };

/* Each of these has one place, whatever the compiler does. */
__attribute__((noinline)) static void sum_up(const double* mine, int count, MPI_Op op,
                                             MPI_Comm comm) {
  double sums[most_items];
  MPI_Allreduce(mine, sums, count, MPI_DOUBLE, op, comm);
}

__attribute__((noinline)) static void sum_up_at_first(const double* mine) {
  double sums[most_items];
  MPI_Reduce(mine, sums, most_items, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}

__attribute__((noinline)) static void sum_into(const void* mine, double* result) {
  MPI_Allreduce(mine, result, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

__attribute__((noinline)) static void sum_up_before(void* both) {
  MPI_Exscan(MPI_IN_PLACE, both, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

__attribute__((noinline)) static void sum_alone(const double* mine, double* result) {
  MPI_Reduce(mine, result, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_SELF);
}

/* All but some calls are the same but for the numbers. */
static void repeat(void) {
  MPI_Comm other;
  MPI_Request request = MPI_REQUEST_NULL;
  double early = 0.5;
  double late;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  for (int k = 0; k < 16; ++k) {
    const double mine[] = {k + rank, 100 * k + rank};
    /* 4 and 5: on another communicator; 8 and 9: two items; 12: another operator. */
    sum_up(mine, k / 2 == 4 ? 2 : 1, k == 12 ? MPI_MAX : MPI_SUM,
           k / 2 == 2 ? other : MPI_COMM_WORLD);
    /* Begins after 1 and ends after 3, so a number on the communicator comes late. */
    if (k == 1) MPI_Iallreduce(&early, &late, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    if (k == 3) MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Comm_free(&other);
}

static void add_doubles(void* left, void* right, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((double*)right)[i] += ((double*)left)[i];
}

static void multiply_doubles(void* left, void* right, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((double*)right)[i] *= ((double*)left)[i];
}

/* Each place calls reductions that have the same arguments, or seem to. */
static void reuse(void) {
  /* A freed handle mostly is the next one that is made. */
  for (int k = 0; k < 6; ++k) {
    MPI_Comm comm;
    MPI_Op op;
    MPI_Comm_split(MPI_COMM_WORLD, 0, k % 2 == 0 ? rank : -rank, &comm);
    MPI_Op_create(k % 4 < 2 ? add_doubles : multiply_doubles, 1, &op);
    for (int call = 0; call < 3; ++call) {
      const double mine = 10 * k + call + rank;
      sum_up(&mine, 1, op, comm);
    }
    MPI_Op_free(&op);
    MPI_Comm_free(&comm);
  }
  for (int k = 0; k < 8; ++k) {
    const double mine = 100 + k + rank;
    double result = 200 + k + rank;
    sum_into(k % 4 < 2 ? &mine : MPI_IN_PLACE, &result);
  }
  /* MPI refuses one buffer twice. */
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  for (int k = 0; k < 5; ++k) {
    double mine = 300 + k + rank;
    double result;
    sum_alone(&mine, k == 2 ? &mine : &result);
  }
  /* On rank 0, there is no output, but MPI reads the buffer for it. Open MPI does not check it. */
#ifdef MPICH
  const int refused = 2;
#else
  const int refused = -1;
#endif
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int k = 0; k < 5; ++k) {
    double both = 500 + k + rank;
    sum_up_before(k == refused ? MPI_IN_PLACE : &both);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  /* Some are not short, and some have no output. */
  for (int k = 0; k < 5; ++k) {
    double many[most_items] = {400 + k + rank};
    sum_up(many, k / 2 == 1 ? most_items : 1, MPI_SUM, MPI_COMM_WORLD);
    sum_up_at_first(many);
  }
}

/* The recorder calls this one, as the program shows its functions. */
static bool slow;

ssize_t write(int file, const void* from, size_t count) {
  if (slow) usleep(300000);
  return syscall(SYS_write, file, from, count);
}

static void* terminate(void* none) {
  usleep(1500000);
  raise(SIGTERM);
  return none;
}

/* A thread of its own gets a signal while the recorder writes, again and again. */
static void terminate_in_thread(void) {
  pthread_t thread;
  slow = true;
  pthread_create(&thread, NULL, terminate, NULL);
  for (double mine = 0; true; ++mine) {
    double many[most_items] = {mine};
    MPI_Allreduce(MPI_IN_PLACE, many, most_items, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
  }
}

static void end_early(const char* how) {
  if (rank != 1) return;
  if (strcmp(how, "thread") == 0) terminate_in_thread();
  if (strncmp(how, "kill", 4) == 0) raise(SIGKILL);
  if (strcmp(how, "terminate") == 0) raise(SIGTERM);
  if (strcmp(how, "crash") == 0) raise(SIGSEGV);
  if (strcmp(how, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 3);
  if (strcmp(how, "exit") == 0) exit(4);
}

static void blocking(void) {
  const double mine = rank + 1;
  const double three[] = {1, 2, 3};
  const double same[] = {mine, mine, mine};
  const int counts[] = {1, 0, 2};
  const float small = (float)mine;
  double out[3];
  float product;
  int largest = rank;
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Reduce(&small, &product, 1, MPI_FLOAT, MPI_PROD, 1, MPI_COMM_WORLD);
  MPI_Reduce_scatter(three, out, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Reduce_scatter_block(same, out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Scan(&mine, out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Exscan(&mine, out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void with_requests(void) {
  double mine[] = {rank + 1, 10 * (rank + 1)};
  double sums[2];
  double result;
  MPI_Request requests[2];
  int index;
  MPI_Iallreduce(&mine[0], &sums[0], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
  MPI_Iallreduce(&mine[1], &sums[1], 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  int done = 0;
  MPI_Ireduce(&mine[0], &result, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD, &requests[0]);
  while (!done) MPI_Test(&requests[0], &done, MPI_STATUS_IGNORE);
  MPI_Allreduce_init(&mine[0], &result, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                     &requests[0]);
  for (int k = 0; k < 2; ++k) {
    MPI_Start(&requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    mine[0] = 2 * (rank + 1);
  }
  MPI_Request_free(&requests[0]);
}

/* Two doubles with a gap between them, an operator of the program, and long doubles. */
static void own_types(void) {
  double spaced[] = {rank, 99, 2 * rank};
  double sums[3];
  const long double precise = rank;
  long double sum;
  MPI_Datatype pair;
  MPI_Op add;
  MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &pair);
  MPI_Type_commit(&pair);
  MPI_Op_create(add_pairs, 1, &add);
  MPI_Allreduce(spaced, sums, 1, pair, add, MPI_COMM_WORLD);
  MPI_Op_free(&add);
  MPI_Type_free(&pair);
  for (int probe = 0; probe < 1000; ++probe) {
    int arrived = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &arrived, MPI_STATUS_IGNORE);
  }
  MPI_Allreduce(&precise, &sum, 1, MPI_LONG_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void communicators(void) {
  const double mine = rank + 1;
  double sum;
  MPI_Comm even;
  MPI_Comm again;
  MPI_Comm between;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &even);
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, even);
  MPI_Comm_dup(MPI_COMM_WORLD, &again);
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, again);
  MPI_Intercomm_create(even, 0, again, rank % 2 == 0 ? 1 : 2, 0, &between);
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, between);
  MPI_Comm_free(&between);
  MPI_Comm_free(&again);
  MPI_Comm_free(&even);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const double mine[] = {rank + 1, 10 * (rank + 1)};
  double sums[2];
  MPI_Allreduce(mine, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  if (argc > 1 && strncmp(argv[1], "re", 2) == 0) {
    if (strcmp(argv[1], "repeat") == 0) repeat();
    if (strcmp(argv[1], "reuse") == 0) reuse();
    MPI_Finalize();
    return 0;
  }
  if (argc > 1) {
    if (strcmp(argv[1], "kill-later") == 0) {
      usleep(1200000);
      MPI_Allreduce(mine, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    end_early(argv[1]);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  blocking();
  with_requests();
  own_types();
  communicators();
  MPI_Finalize();
}
