/* SPDX-License-Identifier: MIT */

/* Makes communicators of all ranks by every function that can, on 3 ranks, and adds the numbers 1,
   2, ... on them, last communicator first. With the argument `threads`, two threads begin to reduce
   on two communicators, on rank 0 in another sequence than on the others; with `threads-swapped`,
   the sequences are exchanged. With `nested` and a number, it makes as many communicators of others
   one after the other, and adds on each. */

#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank;
static int ranks;

enum { most = 20 };
static MPI_Comm made[most];
static int count;

static MPI_Comm* next(void) { return &made[count++]; }

static void make_all(void) {
  const MPI_Comm world = MPI_COMM_WORLD;
  const int none = 0;
  const int one = 1;
  MPI_Group group;
  MPI_Request request;
  MPI_Comm half;
  MPI_Comm between;
  MPI_Comm_group(world, &group);
  MPI_Comm_dup(world, next());
  MPI_Comm_dup_with_info(world, MPI_INFO_NULL, next());
  MPI_Comm_idup(world, next(), &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_split(world, 0, rank, next());
  MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, next());
  MPI_Comm_create(world, group, next());
  MPI_Cart_create(world, 1, &ranks, &none, 0, next());
  MPI_Graph_create(world, 3, (int[]){0, 0, 0}, (int[]){0}, 0, next());
  MPI_Dist_graph_create(world, 0, &rank, &one, &rank, &one, MPI_INFO_NULL, 0, next());
  MPI_Dist_graph_create_adjacent(world, 0, &rank, &one, 0, &rank, &one, MPI_INFO_NULL, 0, next());
  /* The group makes two by itself, in which the parent's number does not count. */
  MPI_Comm_create_group(world, group, 5, next());
  MPI_Comm_create_group(world, group, 5, next());
  /* Of ranks 0 and 1, and of rank 2; together again in the next sequence. */
  MPI_Comm_split(world, rank / 2, rank, &half);
  MPI_Intercomm_create(half, 0, world, rank / 2 == 0 ? 2 : 0, 9, &between);
  MPI_Intercomm_merge(between, rank / 2, next());
  MPI_Cart_sub(made[6], &one, next());
  MPI_Comm_dup(made[0], next());
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
  MPI_Group_free(&group);
}

static void add(MPI_Comm comm, double number) {
  double sum = 0;
  MPI_Allreduce(&number, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
}

static atomic_int begun;

/* Adds on communicator `which` once `which` others have begun. */
static void* add_on(void* which) {
  const int index = *(int*)which;
  const int turn = index % 2;
  while (atomic_load(&begun) < turn) usleep(1000);
  if (turn == 1) usleep(200000);
  atomic_fetch_add(&begun, 1);
  add(made[index / 2], index / 2 + 1);
  return NULL;
}

/* The communicator that `first` names begins first. */
static void add_in_threads(int first) {
  int works[] = {2 * first, 2 * (1 - first) + 1};
  pthread_t thread;
  pthread_create(&thread, NULL, add_on, &works[1]);
  add_on(&works[0]);
  pthread_join(thread, NULL);
}

/* As a solver does that keeps to communicators of its own. */
static void add_nested(int steps) {
  MPI_Comm all;
  MPI_Comm_dup(MPI_COMM_WORLD, &all);
  for (int i = 0; i < steps; ++i) {
    MPI_Comm half;
    MPI_Comm own;
    MPI_Comm_split(all, rank / 2, rank, &half);
    MPI_Comm_dup(half, &own);
    for (int k = 0; k < 3; ++k) add(own, 10 * i + k + 0.5);
    MPI_Comm_free(&own);
    MPI_Comm_free(&half);
  }
  MPI_Comm_free(&all);
}

int main(int argc, char** argv) {
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc > 2) {
    add_nested(atoi(argv[2]));
  } else if (argc > 1) {
    if (level < MPI_THREAD_MULTIPLE) {
      if (rank == 0) printf("no threads\n");
    } else {
      MPI_Comm_dup(MPI_COMM_WORLD, next());
      MPI_Comm_dup(MPI_COMM_WORLD, next());
      const int swapped = strcmp(argv[1], "threads-swapped") == 0;
      add_in_threads(rank == 0 ? swapped : 1 - swapped);
    }
  } else {
    make_all();
    for (int i = count - 1; i >= 0; --i) add(made[i], i + 1);
  }
  for (int i = 0; i < count; ++i) MPI_Comm_free(&made[i]);
  MPI_Finalize();
  return 0;
}
