/* SPDX-License-Identifier: MIT */

#pragma once

/* Reductions of floating-point numbers in tree order over the ranks of a communicator: neighbours,
   then neighbours of these results, and so on; a last one without a neighbour moves up. */

#include "preload/preload.h"

/* number_operations.c */

/** The arithmetic of one operator on one type. */
struct operation {
  /** Puts `left[i]` op `right[i]` into `left[i]` for all i < items. */
  void (*join)(void* left, const void* right, size_t items);
  /** Replaces every NaN by one fixed quiet NaN. */
  void (*finish)(void* items, size_t count);
  size_t bytes; /**< of an item */
};

/** Whether the tree order of a reduction can be executed, and why not. */
enum knowledge {
  order_executed,   /**< the operation can be executed in tree order */
  order_irrelevant, /**< every order gives the same bits, except for NaNs and the signs of zeros */
  operator_unknown,
  type_unknown
};

/** Fills `operation` if the result is `order_executed`. */
enum knowledge operation_of(MPI_Datatype type, MPI_Op op, struct operation* operation);

/* own_communicator.c */

/** The ranks of an application's communicator. */
struct communicator {
  MPI_Comm comm; /**< only this library uses it; null if there is one rank */
  bool inter;
  int rank;
  int size;
};

/** The ranks of a communicator, for as long as it exists. The first call is collective. Returns
    null and the error in `code` if MPI cannot make a communicator, and null and `MPI_SUCCESS` if
    the communicator is one that MPI refuses. */
const struct communicator* communicator_of(MPI_Comm comm, int* code);

/* tree_reduction.c */

/** Executes a reduction of at least one item. Returns an error code of MPI. */
int reduce_in_tree_order(const struct arguments* arguments, const struct operation* operation,
                         const struct communicator* communicator);
