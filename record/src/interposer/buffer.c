/* SPDX-License-Identifier: MIT */

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bracket/record/check.h"
#include "recorder.h"

static char* buffer;
static size_t capacity;
/* Bytes of complete records. A signal handler reads it. */
static volatile size_t used;
/* Records so far. */
static uint64_t records;
/* Whether a record is being copied. */
static volatile bool busy;
static int file = -1;
static char* file_name;
static size_t keep;

static struct {
  bool any;
  struct other_record record;
} open_other;

/* Only calls functions that a signal handler may call, unless a write fails. */
static void flush(void) {
  size_t from = 0;
  while (file >= 0 && from < used) {
    const ssize_t written = write(file, buffer + from, used - from);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      fprintf(stderr, "bracket: %s: cannot be written: %s; the trace of this rank ends here\n",
              file_name, strerror(errno));
      close(file);
      file = -1;
      recording = false;
    }
    if (written > 0) from += (size_t)written;
  }
  used = 0;
}

static const int64_t most_delay = 1000000000;
static int64_t last_flush;

/* A signal that ends the program must not write the same bytes again. Other threads leave it to
   this one. */
static void flush_undisturbed(void) {
  const int64_t begin = clock_now();
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  flush();
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  last_flush = clock_now();
  own_time_add(last_flush - begin, 0);
}

bool buffer_open(const char* path, struct header* header) {
  header->check = 0;
  header->check = bracket_check(header, sizeof *header, 0);
  keep = header->keep;
  capacity = 1 << 20;
  if (capacity < 8 * keep) capacity = 8 * keep;
  buffer = malloc(capacity);
  file_name = strdup(path);
  file = buffer == NULL || file_name == NULL
             ? -1
             : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) {
    fprintf(stderr, "bracket: %s: cannot be written: %s; this rank is not recorded\n", path,
            strerror(errno));
    return false;
  }
  memcpy(buffer, header, sizeof *header);
  used = sizeof *header;
  flush_undisturbed();
  return file >= 0;
}

size_t buffer_keep(void) { return keep; }

static void append(struct head* head, size_t fixed, const void* first, size_t first_bytes,
                   const void* second, size_t second_bytes) {
  const size_t bytes = (fixed + first_bytes + second_bytes + 7) / 8 * 8;
  if (used + bytes > capacity) flush_undisturbed();
  if (used + bytes > capacity) return; /* not possible: names are short */
  head->bytes = (uint32_t)bytes;
  busy = true;
  atomic_signal_fence(memory_order_seq_cst);
  char* const to = buffer + used;
  memset(to + bytes - 8, 0, 8);
  memcpy(to, head, fixed);
  if (first_bytes > 0) memcpy(to + fixed, first, first_bytes);
  if (second_bytes > 0) memcpy(to + fixed + first_bytes, second, second_bytes);
  const uint32_t check = bracket_check(to + offsetof(struct head, kind),
                                       bytes - offsetof(struct head, kind), ++records);
  memcpy(to + offsetof(struct head, check), &check, sizeof check);
  atomic_signal_fence(memory_order_seq_cst);
  used += bytes;
  busy = false;
}

static void close_other(void) {
  if (!open_other.any) return;
  open_other.any = false;
  append(&open_other.record.head, sizeof open_other.record, NULL, 0, NULL, 0);
}

void buffer_append(struct head* head, size_t fixed, const void* first, size_t first_bytes,
                   const void* second, size_t second_bytes) {
  close_other();
  append(head, fixed, first, first_bytes, second, second_bytes);
}

void buffer_flush_if_late(int64_t now) {
  if (now - last_flush > most_delay) flush_undisturbed();
}

void buffer_add_other(uint32_t call, int64_t entry, int64_t completed) {
  struct other_record* const record = &open_other.record;
  if (!open_other.any || record->head.flags != call) {
    close_other();
    *record = (struct other_record){.head = {.kind = kind_other, .flags = call}, .entry = entry};
    open_other.any = true;
  }
  ++record->count;
  record->completed = completed;
  record->nanoseconds += completed - entry;
}

void buffer_close(enum end reason) {
  struct end_record record = {.head = {.kind = kind_end, .call = (uint16_t)reason},
                              .time = clock_now()};
  buffer_append(&record.head, sizeof record, NULL, 0, NULL, 0);
  flush();
  if (file >= 0 && close(file) != 0) {
    fprintf(stderr, "bracket: %s: cannot be written: %s\n", file_name, strerror(errno));
  }
  file = -1;
}

void buffer_rescue(void) {
  if (busy) {
    flush();
  } else {
    buffer_close(end_signal);
  }
}
