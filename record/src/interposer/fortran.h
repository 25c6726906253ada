/* SPDX-License-Identifier: MIT */

#pragma once

/* Fortran passes every argument by its address, so a wrapper needs the number of arguments alone.
 */

#include "recorder.h"

/** The code of an error. If the argument is absent, a failure ends the program. */
static inline int code_of(const void* error) { return error == NULL ? 0 : *(const MPI_Fint*)error; }

static inline MPI_Request request_of(const void* request) {
  return PMPI_Request_f2c(*(const MPI_Fint*)request);
}

#define PARAMETERS_2 void *a, void *b
#define PARAMETERS_3 PARAMETERS_2, void* c
#define PARAMETERS_4 PARAMETERS_3, void* d
#define PARAMETERS_5 PARAMETERS_4, void* e
#define PARAMETERS_6 PARAMETERS_5, void* f
#define PARAMETERS_7 PARAMETERS_6, void* g
#define PARAMETERS_8 PARAMETERS_7, void* h
#define PARAMETERS_9 PARAMETERS_8, void* i
#define PARAMETERS_10 PARAMETERS_9, void* j
#define PARAMETERS_11 PARAMETERS_10, void* k
#define PARAMETERS_12 PARAMETERS_11, void* l
#define PARAMETERS_13 PARAMETERS_12, void* m

#define ARGUMENTS_2 a, b
#define ARGUMENTS_3 ARGUMENTS_2, c
#define ARGUMENTS_4 ARGUMENTS_3, d
#define ARGUMENTS_5 ARGUMENTS_4, e
#define ARGUMENTS_6 ARGUMENTS_5, f
#define ARGUMENTS_7 ARGUMENTS_6, g
#define ARGUMENTS_8 ARGUMENTS_7, h
#define ARGUMENTS_9 ARGUMENTS_8, i
#define ARGUMENTS_10 ARGUMENTS_9, j
#define ARGUMENTS_11 ARGUMENTS_10, k
#define ARGUMENTS_12 ARGUMENTS_11, l
#define ARGUMENTS_13 ARGUMENTS_12, m

/** The parameter of the error, the last one. */
#define ERROR_3 c
#define ERROR_4 d
#define ERROR_5 e
#define ERROR_6 f
#define ERROR_7 g
#define ERROR_10 j
#define ERROR_11 k

/** Declares `next`, the library's function FUNCTION with ARITY arguments. */
#define NEXT(FUNCTION, ARITY)              \
  static void (*next)(PARAMETERS_##ARITY); \
  if (next == 0) find_next((void*)&next, #FUNCTION)

/** Every reduction but MPI_Reduce, whose arguments have a root before the communicator. */
#define FORTRAN_REDUCTIONS(ACTION)                        \
  ACTION(allreduce, call_allreduce)                       \
  ACTION(reduce_scatter, call_reduce_scatter)             \
  ACTION(reduce_scatter_block, call_reduce_scatter_block) \
  ACTION(scan, call_scan)                                 \
  ACTION(exscan, call_exscan)
