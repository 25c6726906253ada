/* SPDX-License-Identifier: MIT */

/* A library that makes one all-reduce of a program go wrong. It is loaded before the recorder, so
   that its MPI_Allreduce is above the recorder and its PMPI_Allreduce below.

   BRACKET_FAULT is `input` (the first item of one rank is one ulp more), `extra` (an all-reduce
   of another value before it), `algorithm` (from this call on, another sequence of additions), or
   `output` (one rank gets other bits). BRACKET_FAULT_CALL is the call, from 0, and
   BRACKET_FAULT_RANK the rank. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int Allreduce(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
typedef void FortranAllreduce(void*, void*, void*, void*, void*, void*, void*);

static bool is_fault(const char* kind) {
  const char* const asked = getenv("BRACKET_FAULT");
  return asked != NULL && strcmp(asked, kind) == 0;
}

static int number(const char* name) {
  const char* const written = getenv(name);
  return written == NULL ? -1 : atoi(written);
}

static bool is_rank(void) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank == number("BRACKET_FAULT_RANK");
}

static void* next(const char* name) { return dlsym(RTLD_NEXT, name); }

/* Calls of the program, and calls below the recorder. */
static int above;
static int below;

/* Changes the last bit of a double. */
static double changed(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  ++bits;
  memcpy(&value, &bits, sizeof bits);
  return value;
}

int MPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  Allreduce* function;
  *(void**)&function = next("MPI_Allreduce");
  const bool now = above++ == number("BRACKET_FAULT_CALL");
  double* const values = malloc((size_t)count * sizeof *values);
  memcpy(values, send, (size_t)count * sizeof *values);
  if (now && is_fault("input") && is_rank()) values[0] = changed(values[0]);
  if (now && is_fault("extra")) {
    double one = 1;
    double sum = 0;
    function(&one, &sum, 1, type, op, comm);
  }
  const int code = function(values, receive, count, type, op, comm);
  free(values);
  return code;
}

#ifdef OPEN_MPI
/* Open MPI's functions for Fortran do not call the function for C above. */
static void in_fortran(const char* name, double* send, void* receive, void* count, void* type,
                       void* op, void* comm, void* error) {
  FortranAllreduce* function;
  *(void**)&function = next(name);
  const bool now = above++ == number("BRACKET_FAULT_CALL");
  double value = *send;
  if (now && is_fault("input") && is_rank()) value = changed(value);
  if (now && is_fault("extra")) {
    double one = 1;
    double sum = 0;
    function(&one, &sum, count, type, op, comm, error);
  }
  function(&value, receive, count, type, op, comm, error);
}

void mpi_allreduce_f08_(void* a, void* b, void* c, void* d, void* e, void* f, void* g) {
  in_fortran("mpi_allreduce_f08_", a, b, c, d, e, f, g);
}

void mpi_allreduce_(void* a, void* b, void* c, void* d, void* e, void* f, void* g) {
  in_fortran("mpi_allreduce_", a, b, c, d, e, f, g);
}
#endif

/* Adds the values of the highest rank first. */
static void backwards(const double* send, double* receive, int count, MPI_Comm comm) {
  int ranks = 0;
  PMPI_Comm_size(comm, &ranks);
  double* const all = malloc((size_t)(ranks * count) * sizeof *all);
  PMPI_Allgather(send, count, MPI_DOUBLE, all, count, MPI_DOUBLE, comm);
  for (int i = 0; i < count; ++i) {
    receive[i] = all[(ranks - 1) * count + i];
    for (int rank = ranks - 2; rank >= 0; --rank) receive[i] += all[rank * count + i];
  }
  free(all);
}

int PMPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm) {
  Allreduce* function;
  *(void**)&function = next("PMPI_Allreduce");
  /* Libraries also call it for themselves, with integers. */
  int size = 0;
  PMPI_Type_size(type, &size);
  if (size != 8 || op != MPI_SUM || comm != MPI_COMM_WORLD) {
    return function(send, receive, count, type, op, comm);
  }
  const int call = below++;
  const int fault = number("BRACKET_FAULT_CALL");
  if (is_fault("algorithm") && call >= fault) {
    backwards(send, receive, count, comm);
    return MPI_SUCCESS;
  }
  const int code = function(send, receive, count, type, op, comm);
  if (is_fault("output") && call == fault && is_rank()) {
    *(double*)receive = changed(*(double*)receive);
  }
  return code;
}
