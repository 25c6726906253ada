/* SPDX-License-Identifier: MIT */

#include <stdlib.h>
#include <string.h>

#include "recorder.h"

/* A reduction whose request has not been freed. */
struct pending {
  struct pending* next;
  MPI_Request request;
  struct reduction reduction;
  bool persistent;
  bool active;
};

enum { buckets = 1024 };
static struct pending* table[buckets];
static volatile int pendings;

static size_t bucket_of(MPI_Request request) {
  return (size_t)((uint64_t)(uintptr_t)request * 0x9E3779B97F4A7C15u >> 32) % buckets;
}

static void drop(struct pending* pending) {
  struct pending** link = &table[bucket_of(pending->request)];
  while (*link != pending) link = &(*link)->next;
  *link = pending->next;
  free(pending->reduction.kept);
  free(pending);
  --pendings;
}

bool requests_any(void) { return pendings > 0; }

void requests_add(MPI_Request request, const struct reduction* reduction, bool persistent) {
  struct pending* const pending = malloc(sizeof *pending);
  if (pending == NULL) abort();
  pending->request = request;
  pending->reduction = *reduction;
  pending->persistent = persistent;
  pending->active = !persistent;
  recorder_lock();
  struct pending** const bucket = &table[bucket_of(request)];
  pending->next = *bucket;
  *bucket = pending;
  ++pendings;
  recorder_unlock();
}

static struct pending* found(MPI_Request request) {
  struct pending* pending = table[bucket_of(request)];
  while (pending != NULL && pending->request != request) pending = pending->next;
  return pending;
}

void requests_take(struct taken* taken, int count, const MPI_Request* requests) {
  taken->count = 0;
  taken->list = taken->few;
  if (pendings == 0 || count <= 0) return;
  const size_t few = sizeof taken->few / sizeof *taken->few;
  if ((size_t)count > few) taken->list = malloc((size_t)count * sizeof *taken->list);
  if (taken->list == NULL) abort();
  taken->count = count;
  recorder_lock();
  for (int i = 0; i < count; ++i) {
    taken->list[i] = requests[i] == MPI_REQUEST_NULL ? NULL : found(requests[i]);
  }
  recorder_unlock();
}

void requests_complete(struct taken* taken, int index) {
  if (index < 0 || index >= taken->count) return;
  struct pending* const pending = taken->list[index];
  if (pending == NULL || !pending->active) return;
  pending->active = false;
  pending->reduction.record.completed = recorder_now();
  reduction_complete(&pending->reduction, 0);
  if (pending->persistent) return;
  recorder_lock();
  drop(pending);
  recorder_unlock();
}

void requests_release(struct taken* taken) {
  if (taken->list != taken->few) free(taken->list);
}

void requests_starting(struct taken* taken) {
  for (int i = 0; i < taken->count; ++i) {
    struct pending* const pending = taken->list[i];
    if (pending != NULL && pending->persistent && !pending->active) {
      pending->reduction.described = recorder_now();
      reduction_begin(&pending->reduction);
    }
  }
}

void requests_started(struct taken* taken) {
  const int64_t now = recorder_now();
  for (int i = 0; i < taken->count; ++i) {
    struct pending* const pending = taken->list[i];
    if (pending == NULL || !pending->persistent || pending->active) continue;
    pending->reduction.record.returned = now;
    pending->active = true;
  }
}

void requests_freed(MPI_Request request) {
  if (pendings == 0) return;
  recorder_lock();
  struct pending* const pending = found(request);
  if (pending != NULL && pending->persistent) drop(pending);
  recorder_unlock();
}

void requests_stop(void) {
  for (int i = 0; i < buckets; ++i) {
    for (struct pending* pending = table[i]; pending != NULL; pending = pending->next) {
      if (!pending->active) continue;
      pending->active = false;
      pending->reduction.record.completed = recorder_now();
      reduction_complete(&pending->reduction, flag_unfinished);
    }
  }
}
