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
