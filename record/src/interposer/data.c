/* SPDX-License-Identifier: MIT */

#include <stdlib.h>
#include <string.h>

#include "bracket/record/check.h"
#include "recorder.h"

enum { chunk = 1 << 15 };

/* Zeroes the bytes that do not belong to numbers of the x87. */
static void clear_padding(char* bytes, size_t count) {
  for (size_t at = 0; at + 16 <= count; at += 16) memset(bytes + at + 10, 0, 6);
}

static size_t less(size_t a, size_t b) { return a < b ? a : b; }

uint64_t digest_of_bytes(const void* data, size_t bytes) { return XXH3_64bits(data, bytes); }

static struct digest digest_bytes(const void* data, size_t bytes, char* keep) {
  const size_t kept = less(bytes, buffer_keep());
  if (kept == sizeof(double)) {
    memcpy(keep, data, sizeof(double)); /* without a call */
  } else if (kept > 0) {
    memcpy(keep, data, kept);
  }
  return (struct digest){bytes, kept < bytes ? digest_of_bytes(data, bytes) : 0, (uint32_t)kept};
}

/* Packs the items piece by piece, so that the memory needed is small. */
static struct digest digest_packed(const char* data, MPI_Count count,
                                   const struct type_facts* facts, MPI_Datatype type, char* keep) {
  char few[chunk];
  int bound = 0;
  MPI_Count items = facts->size > 0 ? chunk / facts->size : chunk;
  if (items < 1) items = 1;
  if (items > count) items = count;
  PMPI_Pack_size((int)items, type, quiet(), &bound);
  char* const packed = bound <= chunk ? few : malloc((size_t)bound);
  struct digest digest = {0, 0, 0};
  XXH3_state_t* const state = XXH3_createState();
  if (packed == NULL || state == NULL) abort();
  XXH3_64bits_reset(state);
  for (MPI_Count from = 0; from < count; from += items) {
    const MPI_Count now = count - from < items ? count - from : items;
    int position = 0;
    PMPI_Pack(data + from * facts->extent, (int)now, type, packed, bound, &position, quiet());
    const size_t bytes = (size_t)position;
    if (facts->element == element_extended) clear_padding(packed, bytes);
    const size_t room = buffer_keep() - digest.kept;
    memcpy(keep + digest.kept, packed, less(bytes, room));
    digest.kept += (uint32_t)less(bytes, room);
    digest.bytes += bytes;
    XXH3_64bits_update(state, packed, bytes);
  }
  if (digest.kept < digest.bytes) digest.digest = XXH3_64bits_digest(state);
  XXH3_freeState(state);
  if (packed != few) free(packed);
  return digest;
}

struct digest digest_of(const void* data, MPI_Count count, const struct type_facts* facts,
                        MPI_Datatype type, char* keep) {
  if (count <= 0) return digest_bytes("", 0, keep);
  if (facts->contiguous) return digest_bytes(data, (size_t)(count * facts->size), keep);
  return digest_packed(data, count, facts, type, keep);
}
