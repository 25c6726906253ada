/* SPDX-License-Identifier: MIT */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reproducible.h"

/* The tree of an item does not depend on the way that a vector takes:
   - short: every rank gets all vectors and reduces them itself,
   - of middle length: values go up the tree to rank 0, and the result comes from there,
   - long: each rank reduces its share of the items, segment by segment. */

enum {
  most_gathered = 32 << 10, /* bytes of all ranks' vectors together */
  least_share = 4 << 10,    /* bytes, else the messages of the shares take longer than the tree */
  most_segment = 1 << 20    /* bytes of a segment */
};

/* A reduction on this rank. */
struct task {
  const struct arguments* arguments;
  const struct operation* operation;
  const struct communicator* communicator;
  const char* input;
  char* output;
  MPI_Count items;    /* of the input */
  MPI_Count* offsets; /* of the ranks' results in it, for MPI_Reduce_scatter */
};

static bool scatters(const struct task* task) {
  return task->arguments->call == call_reduce_scatter ||
         task->arguments->call == call_reduce_scatter_block;
}

static bool has_result(const struct task* task) {
  return task->arguments->call != call_reduce || task->communicator->rank == task->arguments->root;
}

static void* memory_of(size_t bytes) {
  void* const memory = malloc(bytes);
  if (memory == NULL) {
    fprintf(stderr, "bracket: no memory for %zu bytes of a reduction\n", bytes);
    abort();
  }
  return memory;
}

static size_t bytes_of(const struct task* task, MPI_Count items) {
  return (size_t)items * task->operation->bytes;
}

static MPI_Count offset_of(const struct task* task, int rank) {
  return task->offsets != NULL ? task->offsets[rank] : rank * task->arguments->count;
}

/* Reduces rows of `items` items, one for each rank, to the first one. */
static void fold(const struct task* task, char* rows, MPI_Count items) {
  const int ranks = task->communicator->size;
  const size_t bytes = bytes_of(task, items);
  for (size_t width = 1; width < (size_t)ranks; width *= 2) {
    for (size_t at = 0; at + width < (size_t)ranks; at += 2 * width) {
      task->operation->join(rows + at * bytes, rows + (at + width) * bytes, (size_t)items);
    }
  }
  task->operation->finish(rows, (size_t)items);
}

/* Copies this rank's part of a whole result. */
static void take_own(const struct task* task, const char* result) {
  if (!has_result(task)) return;
  if (scatters(task)) {
    const int rank = task->communicator->rank;
    memcpy(task->output, result + bytes_of(task, offset_of(task, rank)),
           bytes_of(task, own_items(task->arguments, rank)));
  } else {
    memcpy(task->output, result, bytes_of(task, task->items));
  }
}

static int reduce_short(const struct task* task) {
  const MPI_Comm comm = task->communicator->comm;
  const int bytes = (int)bytes_of(task, task->items);
  char* const rows = memory_of((size_t)bytes * (size_t)task->communicator->size);
  int code;
  if (task->arguments->call == call_reduce) {
    code = PMPI_Gather(task->input, bytes, MPI_BYTE, rows, bytes, MPI_BYTE, task->arguments->root,
                       comm);
  } else {
    code = PMPI_Allgather(task->input, bytes, MPI_BYTE, rows, bytes, MPI_BYTE, comm);
  }
  if (code == MPI_SUCCESS && has_result(task)) {
    fold(task, rows, task->items);
    take_own(task, rows);
  }
  free(rows);
  return code;
}

/* Brings the result from rank 0 to where it belongs. */
static int deliver(const struct task* task, char* result) {
  const MPI_Comm comm = task->communicator->comm;
  const int bytes = (int)bytes_of(task, task->items);
  const int root = task->arguments->root;
  int code = MPI_SUCCESS;
  if (task->arguments->call != call_reduce) {
    code = PMPI_Bcast(result, bytes, MPI_BYTE, 0, comm);
  } else if (root != 0 && task->communicator->rank == 0) {
    code = PMPI_Send(result, bytes, MPI_BYTE, root, 0, comm);
  } else if (root != 0 && task->communicator->rank == root) {
    code = PMPI_Recv(result, bytes, MPI_BYTE, 0, 0, comm, MPI_STATUS_IGNORE);
  }
  if (code == MPI_SUCCESS) take_own(task, result);
  return code;
}

static int reduce_up_tree(const struct task* task) {
  const int rank = task->communicator->rank;
  const MPI_Comm comm = task->communicator->comm;
  const int bytes = (int)bytes_of(task, task->items);
  char* const value = memory_of(2 * (size_t)bytes);
  char* const received = value + bytes;
  memcpy(value, task->input, (size_t)bytes);
  int code = MPI_SUCCESS;
  for (int width = 1; width < task->communicator->size && code == MPI_SUCCESS; width *= 2) {
    if ((rank & width) != 0) {
      code = PMPI_Send(value, bytes, MPI_BYTE, rank - width, 0, comm);
      break;
    }
    if (rank + width >= task->communicator->size) continue;
    code = PMPI_Recv(received, bytes, MPI_BYTE, rank + width, 0, comm, MPI_STATUS_IGNORE);
    if (code == MPI_SUCCESS) task->operation->join(value, received, (size_t)task->items);
  }
  if (rank == 0) task->operation->finish(value, (size_t)task->items);
  if (code == MPI_SUCCESS) code = deliver(task, value);
  free(value);
  return code;
}

/* The items of a segment that one rank reduces. */
struct share {
  MPI_Count first;
  MPI_Count items;
};

/* Items in a segment, of all ranks or, if the result is scattered, of each. */
static MPI_Count segment_of(const struct task* task) {
  const MPI_Count items = most_segment / (MPI_Count)task->operation->bytes;
  if (!scatters(task)) return items;
  return items < task->communicator->size ? 1 : items / task->communicator->size;
}

static struct share share_of(const struct task* task, MPI_Count segment, int rank) {
  const MPI_Count size = segment_of(task);
  const MPI_Count begin = segment * size;
  if (scatters(task)) {
    const MPI_Count left = own_items(task->arguments, rank) - begin;
    return (struct share){offset_of(task, rank) + begin, left < 0 ? 0 : left < size ? left : size};
  }
  const int ranks = task->communicator->size;
  const MPI_Count items = task->items - begin < size ? task->items - begin : size;
  const MPI_Count from = items * rank / ranks;
  return (struct share){begin + from, items * (rank + 1) / ranks - from};
}

/* Receives the other ranks' items of this rank's share, and reduces them to the first row. */
static int reduce_share(const struct task* task, MPI_Count segment, char* rows,
                        MPI_Request* requests) {
  const int rank = task->communicator->rank;
  const int ranks = task->communicator->size;
  const MPI_Comm comm = task->communicator->comm;
  const struct share own = share_of(task, segment, rank);
  const size_t row = bytes_of(task, own.items);
  int count = 0;
  int code = MPI_SUCCESS;
  for (int i = 1; i < ranks && row > 0 && code == MPI_SUCCESS; ++i) {
    const int from = (rank + i) % ranks;
    code = PMPI_Irecv(rows + (size_t)from * row, (int)row, MPI_BYTE, from, 0, comm,
                      &requests[count++]);
  }
  for (int i = 1; i < ranks && code == MPI_SUCCESS; ++i) {
    const int to = (rank + ranks - i) % ranks;
    const struct share share = share_of(task, segment, to);
    if (share.items == 0) continue;
    code = PMPI_Isend(task->input + bytes_of(task, share.first), (int)bytes_of(task, share.items),
                      MPI_BYTE, to, 0, comm, &requests[count++]);
  }
  if (code != MPI_SUCCESS) return code;
  memcpy(rows + (size_t)rank * row, task->input + bytes_of(task, own.first), row);
  code = PMPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  if (code == MPI_SUCCESS && row > 0) fold(task, rows, own.items);
  return code;
}

/* Brings the shares of a segment together. */
static int collect(const struct task* task, MPI_Count segment, const char* share, int* counts) {
  const int ranks = task->communicator->size;
  const MPI_Comm comm = task->communicator->comm;
  int* const displacements = counts + ranks;
  for (int i = 0; i < ranks; ++i) {
    counts[i] = (int)bytes_of(task, share_of(task, segment, i).items);
    displacements[i] = i == 0 ? 0 : displacements[i - 1] + counts[i - 1];
  }
  const int own = counts[task->communicator->rank];
  char* const to =
      has_result(task) ? task->output + bytes_of(task, share_of(task, segment, 0).first) : NULL;
  if (task->arguments->call != call_reduce) {
    return PMPI_Allgatherv(share, own, MPI_BYTE, to, counts, displacements, MPI_BYTE, comm);
  }
  return PMPI_Gatherv(share, own, MPI_BYTE, to, counts, displacements, MPI_BYTE,
                      task->arguments->root, comm);
}

static int reduce_in_shares(const struct task* task) {
  const int rank = task->communicator->rank;
  const size_t ranks = (size_t)task->communicator->size;
  MPI_Count longest = task->items;
  if (scatters(task)) {
    longest = 0;
    for (int i = 0; i < task->communicator->size; ++i) {
      const MPI_Count items = own_items(task->arguments, i);
      if (items > longest) longest = items;
    }
  }
  const MPI_Count size = segment_of(task);
  const size_t share = scatters(task) ? (size_t)size : (size_t)size / ranks + 1;
  char* const rows = memory_of(ranks * share * task->operation->bytes);
  MPI_Request* const requests = memory_of(2 * ranks * sizeof *requests);
  int* const counts = memory_of(2 * ranks * sizeof *counts);
  int code = MPI_SUCCESS;
  for (MPI_Count segment = 0; segment * size < longest && code == MPI_SUCCESS; ++segment) {
    code = reduce_share(task, segment, rows, requests);
    if (code != MPI_SUCCESS) break;
    if (!scatters(task)) {
      code = collect(task, segment, rows, counts);
      continue;
    }
    /* In place, this overwrites only items of this segment and of earlier ones. */
    const struct share own = share_of(task, segment, rank);
    memcpy(task->output + bytes_of(task, own.first - offset_of(task, rank)), rows,
           bytes_of(task, own.items));
  }
  free(counts);
  free(requests);
  free(rows);
  return code;
}

static int reduce_alone(const struct task* task) {
  memmove(task->output, task->input, bytes_of(task, task->items));
  task->operation->finish(task->output, (size_t)task->items);
  return MPI_SUCCESS;
}

int reduce_in_tree_order(const struct arguments* arguments, const struct operation* operation,
                         const struct communicator* communicator) {
  const int ranks = communicator->size;
  struct task task = {.arguments = arguments,
                      .operation = operation,
                      .communicator = communicator,
                      .input = arguments->send,
                      .output = arguments->receive,
                      .items = all_items(arguments, ranks)};
  if (arguments->send == MPI_IN_PLACE) task.input = arguments->receive;
  if (ranks == 1) return reduce_alone(&task);
  if (arguments->call == call_reduce_scatter) {
    task.offsets = memory_of((size_t)ranks * sizeof *task.offsets);
    task.offsets[0] = 0;
    for (int i = 1; i < ranks; ++i) {
      task.offsets[i] = task.offsets[i - 1] + own_items(arguments, i - 1);
    }
  }
  const size_t bytes = bytes_of(&task, task.items);
  int code;
  if (bytes * (size_t)ranks <= most_gathered) {
    code = reduce_short(&task);
  } else if (bytes < (size_t)least_share * (size_t)ranks) {
    code = reduce_up_tree(&task);
  } else {
    code = reduce_in_shares(&task);
  }
  free(task.offsets);
  return code;
}
