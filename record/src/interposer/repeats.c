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

static bool is_blocking(const struct reduction_record* record) {
  return (record->head.flags & (flag_nonblocking | flag_persistent)) == 0;
}

static bool is_kept(const struct reduction_record* record) {
  return record->kept_input == record->input_bytes && record->kept_output == record->output_bytes;
}

static bool are_alike(const struct reduction_record* one, const struct reduction_record* other) {
  return one->head.call == other->head.call && one->head.flags == other->head.flags &&
         one->communicator == other->communicator && one->type == other->type &&
         one->op == other->op && one->root == other->root && one->count == other->count &&
         one->input_bytes == other->input_bytes && one->output_bytes == other->output_bytes;
}

bool is_repeat(const struct reduction_record* record, uint64_t next) {
  struct reduction_record* const before = last_of(record->site);
  const bool is_brief = record->completed - record->entry <= UINT32_MAX;
  if (before->head.bytes > 0 && are_alike(before, record) && is_blocking(record) &&
      is_kept(record) && is_brief && record->sequence == next) {
    return true;
  }
  *before = *record;
  before->head.bytes = sizeof *before;
  return false;
}
