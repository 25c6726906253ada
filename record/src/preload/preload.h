/* SPDX-License-Identifier: MIT */

#pragma once

/* Functions that both preloaded libraries use. */

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bracket/record/format.h"

/** Marks the functions that the library shows. */
#define EXPORT __attribute__((visibility("default")))

/* preload.c */

/** Puts the next function of this name after this library's into `*(void **)function`. Ends the
    program if there is none. */
void find_next(void* function, const char* name);
/** Ends a program that uses another MPI library than the one that this library was built for:
    handles have other forms there. `own` is the file name of this library, for the message. Looks
    at the libraries of the program in the first call only. */
void refuse_foreign_library(const char* own);

/* predefined.c */

/** A kind of numbers and the bytes of one; of the components of a complex number. */
struct part {
  enum element element;
  uint32_t bytes;
};

/** The numbers in a predefined type of `size` bytes; element_other in any other type. */
struct part part_of_predefined(MPI_Datatype type, int size);
/** Name of a predefined operator; null for one of the program. */
const char* predefined_op(MPI_Op op);

/* arguments.c */

/** The arguments of a reduction as the program gave them. */
struct arguments {
  enum call call;
  unsigned flags;
  const void* send;
  void* receive;
  MPI_Count count;
  const int* counts; /**< of a reduce-scatter; else null */
  const MPI_Count* large_counts;
  MPI_Datatype type;
  MPI_Op op;
  int root;
  MPI_Comm comm;
  void* site;
};

/** Items of the input of a rank. */
MPI_Count all_items(const struct arguments* arguments, int ranks);
/** Items of the result that `rank` gets, if it gets any. */
MPI_Count own_items(const struct arguments* arguments, int rank);
/** Whether a handle is null, or zero bytes, which no library has as a valid handle. */
#define IS_NULL(handle, null) ((handle) == (null) || (uintptr_t)(handle) == 0)
/** Whether the counts, the root and the buffers of this rank are valid. If not, MPI refuses the
    call, and nobody may touch the buffers or compute with the counts. The type must be valid. */
bool are_valid(const struct arguments* arguments, int rank, int ranks);
