/* SPDX-License-Identifier: MIT */

#include <stdlib.h>
#include <string.h>

#include "recorder.h"

/* The last reduction record of each site; the size of its head is 0 if there is none. */
static struct reduction_record* last;
static size_t sites;

static struct reduction_record* last_of(uint32_t site) {
  if (site >= sites) {
    const size_t more = 2 * (size_t)site + 16;
    last = realloc(last, more * sizeof *last);
    if (last == NULL) abort();
    memset(last + sites, 0, (more - sites) * sizeof *last);
    sites = more;
  }
  return &last[site];
}

const struct reduction_record* last_record_of(uint32_t site) { return last_of(site); }

/* A few sites, by their addresses. To look up all that a record has takes a third of the time of a
   short reduction. */
enum { places = 64 };
static struct repeated repeated[places];
uint32_t handles_changed;

static struct repeated* place_of(const void* site) {
  const uintptr_t address = (uintptr_t)site;
  return &repeated[(address ^ address >> 6) % places];
}

const struct repeated* repeated_by(const struct arguments* arguments) {
  void* const site = fortran_site != NULL ? fortran_site : arguments->site;
  const struct repeated* const one = place_of(site);
  if (one->site != site || one->handle != arguments->comm || one->type != arguments->type ||
      one->op != arguments->op || one->count != arguments->count || one->call != arguments->call ||
      one->root != arguments->root || one->handles != handles_changed || arguments->flags != 0 ||
      one->in_place != (arguments->send == MPI_IN_PLACE)) {
    return NULL;
  }
  /* MPI may refuse these buffers: then nobody may read them. */
  if (arguments->send == NULL) return NULL;
  if (one->receives && (arguments->receive == NULL || arguments->receive == MPI_IN_PLACE)) {
    return NULL;
  }
  /* Another one on the communicator may have begun and not ended. */
  return one->comm->sequence == one->comm->recorded ? one : NULL;
}

static bool is_blocking(const struct reduction_record* record) {
  return (record->head.flags & (flag_nonblocking | flag_persistent)) == 0;
}

static bool is_kept(const struct reduction_record* record) {
  return record->kept_input == record->input_bytes && record->kept_output == record->output_bytes;
}

/* The counts of a reduce-scatter are more than one number. */
static bool is_described_by_count(const struct reduction_record* record) {
  return record->head.call != call_reduce_scatter && record->head.call != call_reduce_scatter_block;
}

/* Remembers the reduction for `repeated_by`, or forgets what its site did before. */
static void remember(const struct reduction* reduction) {
  const struct reduction_record* const record = &reduction->record;
  struct repeated* const one = place_of(reduction->site);
  const unsigned flags = record->head.flags;
  /* A contiguous type is predefined, so its handle always is the same type. */
  if (!recorder_is_shared() && is_blocking(record) && (flags & flag_input) != 0 &&
      (flags & (flag_failed | flag_unfinished)) == 0 && is_kept(record) &&
      record->input_bytes <= default_keep && record->output_bytes <= default_keep &&
      reduction->facts.contiguous && is_described_by_count(record)) {
    *one = (struct repeated){
        .site = reduction->site,
        .handle = reduction->handle,
        .type = reduction->type,
        .op = reduction->op,
        .count = reduction->input_count,
        .comm = reduction->comm,
        .handles = handles_changed,
        .id = record->site,
        .root = record->root,
        .call = (uint8_t)record->head.call,
        .input_bytes = (uint8_t)record->input_bytes,
        .output_bytes = (uint8_t)record->output_bytes,
        .in_place = (flags & flag_in_place) != 0,
        .receives = record->head.call != call_reduce || reduction->comm->rank == record->root,
    };
  } else if (one->site == reduction->site) {
    one->site = NULL;
  }
}

static bool are_alike(const struct reduction_record* one, const struct reduction_record* other) {
  return one->head.call == other->head.call && one->head.flags == other->head.flags &&
         one->communicator == other->communicator && one->type == other->type &&
         one->op == other->op && one->root == other->root && one->count == other->count &&
         one->input_bytes == other->input_bytes && one->output_bytes == other->output_bytes;
}

bool is_repeat(const struct reduction* reduction, uint64_t next) {
  const struct reduction_record* const record = &reduction->record;
  struct reduction_record* const before = last_of(record->site);
  const bool is_brief = record->completed - record->entry <= UINT32_MAX;
  remember(reduction);
  if (before->head.bytes > 0 && are_alike(before, record) && is_blocking(record) &&
      is_kept(record) && is_brief && record->sequence == next) {
    return true;
  }
  *before = *record;
  before->head.bytes = sizeof *before;
  return false;
}
