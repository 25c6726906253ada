/* SPDX-License-Identifier: MIT */

#include "preload/preload.h"

MPI_Count own_items(const struct arguments* arguments, int rank) {
  if (arguments->counts != NULL) return arguments->counts[rank];
  return arguments->large_counts != NULL ? arguments->large_counts[rank] : arguments->count;
}

MPI_Count all_items(const struct arguments* arguments, int ranks) {
  if (arguments->call == call_reduce_scatter_block) return arguments->count * ranks;
  if (arguments->call != call_reduce_scatter) return arguments->count;
  MPI_Count all = 0;
  for (int i = 0; i < ranks; ++i) all += own_items(arguments, i);
  return all;
}

/* Whether the first byte of some items would be in the first page. The buffer is null, too, if the
   type has absolute addresses (MPI_BOTTOM). */
static bool is_missing(const void* buffer, MPI_Count items, MPI_Datatype type) {
  enum { page = 4096 };
  if (buffer != NULL || items == 0) return false;
  MPI_Count lower = 0;
  MPI_Count extent = 0;
  PMPI_Type_get_true_extent_x(type, &lower, &extent);
  return extent > 0 && lower > -page && lower < page;
}

static bool are_counts_valid(const struct arguments* arguments, int ranks) {
  if (arguments->call != call_reduce_scatter) return arguments->count >= 0;
  if (arguments->counts == NULL && arguments->large_counts == NULL) return false;
  for (int i = 0; i < ranks; ++i) {
    if (own_items(arguments, i) < 0) return false;
  }
  return true;
}

bool are_valid(const struct arguments* arguments, int rank, int ranks) {
  const bool reduce = arguments->call == call_reduce;
  if (reduce && (arguments->root < 0 || arguments->root >= ranks)) return false;
  if (!are_counts_valid(arguments, ranks)) return false;
  const bool receives = !reduce || arguments->root == rank;
  if (arguments->send == MPI_IN_PLACE) {
    if (!receives) return false;
  } else if (is_missing(arguments->send, all_items(arguments, ranks), arguments->type)) {
    return false;
  }
  if (!receives) return true;
  const bool all = arguments->send == MPI_IN_PLACE;
  return arguments->receive != MPI_IN_PLACE &&
         !is_missing(arguments->receive,
                     all ? all_items(arguments, ranks) : own_items(arguments, rank),
                     arguments->type);
}
