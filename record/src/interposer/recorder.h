/* SPDX-License-Identifier: MIT */

#pragma once

/* The recorder of one rank. The wrappers of MPI's functions call it. */

#include "clock.h"
#include "own_time.h"
#include "preload/preload.h"

/** The address that a wrapper returns to. */
#define SITE __builtin_return_address(0)

/** Whether calls are recorded. */
extern bool recording;
/** Wrappers that this thread is in. MPI's own libraries may call MPI's functions. */
extern _Thread_local int depth;
/** The place in a program that called a Fortran function whose library calls the function for C. */
extern _Thread_local void* fortran_site;

/* recorder.c */

/** Begins recording if BRACKET_RECORD is set. Call it on all ranks once MPI has started. */
void recorder_start(void);
/** Writes what is in the buffer and an end record, and stops recording. */
void recorder_stop(enum end reason);
/** Exclude other threads if the program has several that call MPI. */
void recorder_lock(void);
void recorder_unlock(void);
/** Whether several threads may record at a time. */
bool recorder_is_shared(void);

/* buffer.c */

/** Creates the file and gives its header the check. Returns false after a message if that fails. */
bool buffer_open(const char* path, struct header* header);
/** Most bytes of an input or output to keep. */
size_t buffer_keep(void);
/** Appends a record: `fixed` with what follows it. Fills size and check of its head. */
void buffer_append(struct head* head, size_t fixed, const void* first, size_t first_bytes,
                   const void* second, size_t second_bytes);
/** Writes the records if they have waited too long. A launcher may kill all ranks once one of them
    ends (MPICH's does): they keep all records but the latest. */
void buffer_flush_if_late(int64_t now);
/** Counts calls of an other function. Consecutive ones share a record. */
void buffer_add_other(uint32_t call, int64_t entry, int64_t completed);
void buffer_close(enum end reason);
/** Writes what is complete in the buffer, from a signal handler. */
void buffer_rescue(void);

/* names.c */

/** Properties of a type. */
struct type_facts {
  uint32_t id;
  bool contiguous; /**< the items are consecutive bytes */
  enum element element;
  bool committed; /**< MPI refuses others */
  MPI_Count size;
  MPI_Count extent;
};

/** A table from an address or a handle to an index, by open addressing. */
struct table {
  struct entry {
    uintptr_t key; /**< 0: free */
    uint32_t value;
  } * entries;
  size_t capacity; /**< a power of two */
  size_t used;
};

void insert(struct table* table, uintptr_t key, uint32_t value);
const struct entry* find(const struct table* table, uintptr_t key);

/** Appends a definition with its names and returns its number. */
uint32_t define(enum kind kind, struct definition definition, const void* first,
                uint32_t first_bytes, const char* second);

void names_start(void);
void names_stop(void);
/** A communicator of this rank alone whose errors are returned. */
MPI_Comm quiet(void);
/** Returns false for one that MPI will refuse. */
bool type_of(MPI_Datatype type, struct type_facts* facts);
uint32_t op_of(MPI_Op op);
uint32_t site_of(void* address);
/** Returns the number of a call of this name. */
uint32_t call_named(const char* name);
void op_created(MPI_Op op, void* function, int commutes);

/* communicators.c */

/** How a communicator was made; the same on all of its ranks. See `struct definition`. */
struct origin {
  uint32_t depth;
  uint32_t numbers; /**< of the path */
  uint32_t path[most_path];
  uint64_t identity;
};

/** Properties of a communicator. */
struct communicator {
  bool defined; /**< it has had a reduction, and the members below have values */
  struct origin origin;
  uint32_t children; /**< communicators that were made from this one on all of its ranks */
  uint32_t id;
  bool foreign; /**< an intercommunicator, or with processes that are not of MPI_COMM_WORLD */
  int rank;
  int size;
  uint64_t sequence; /**< of the next reduction */
  uint64_t recorded; /**< sequence after that of the last record */
};

void communicators_start(void);
/** Returns null for one that MPI will refuse. */
struct communicator* communicator_of(MPI_Comm comm);

/** A communicator that is being made. */
struct creation {
  bool known;   /**< where it comes from */
  bool between; /**< two groups, by `tag` */
  int tag;
  struct origin origin;
};

/** All ranks of `parent` make communicators. */
struct creation creation_on_all(MPI_Comm parent);
/** The ranks of `group` make one. */
struct creation creation_in_group(MPI_Comm parent, MPI_Group group, int tag);
/** Two groups make an intercommunicator. */
struct creation creation_between(int tag);
/** Gives the communicator its origin; null if this rank got none. */
void creation_end(const struct creation* creation, MPI_Comm made);

/* data.c */

struct digest {
  uint64_t bytes;
  uint64_t digest; /**< 0 if all bytes are kept: their digest is `digest_of_bytes` */
  uint32_t kept;
};

/** Digests `count` items and puts the first bytes at `keep`, which has room for `buffer_keep()`. */
struct digest digest_of(const void* data, MPI_Count count, const struct type_facts* facts,
                        MPI_Datatype type, char* keep);
/** The XXH3 digest of bytes. */
uint64_t digest_of_bytes(const void* data, size_t bytes);

/* repeats.c */

/** The last short blocking reduction of a site: its arguments and what is known of it. The next one
    with these arguments needs no other description. */
struct repeated {
  void* site; /**< null: there is none */
  MPI_Comm handle;
  MPI_Datatype type;
  MPI_Op op;
  MPI_Count count;
  struct communicator* comm;
  uint32_t handles; /**< `handles_changed` then */
  uint32_t id;      /**< of the site */
  int root;
  uint8_t call;
  uint8_t input_bytes;
  uint8_t output_bytes;
  bool in_place;
  bool receives; /**< MPI reads or writes the buffer for the output */
};

/** Counts the events after which a handle may be another object. */
extern uint32_t handles_changed;

struct reduction;

/** What a call repeats; null if it needs a description. Null if several threads record. */
const struct repeated* repeated_by(const struct arguments* arguments);
/** Whether a `repeat_record` can stand for the record of this reduction, if `next` is the sequence
    after that of the last record on its communicator. Otherwise the record becomes the last one of
    its site. Only with the lock. */
bool is_repeat(const struct reduction* reduction, uint64_t next);
/** The last reduction record of a site that is not a repeat. */
const struct reduction_record* last_record_of(uint32_t site);

/* reductions.c */

/** A reduction that has begun. */
struct reduction {
  const struct repeated* repeats; /**< null: described in full; else only the times of the record,
                                       `input`, `output`, `described` and `few` have values */
  struct reduction_record record;
  struct type_facts facts;
  MPI_Datatype type;
  const void* input;
  MPI_Count input_count;
  void* output;
  MPI_Count output_count;
  struct communicator* comm;
  void* site;
  MPI_Op op;
  MPI_Comm handle;
  int64_t described; /**< when the recorder began to take its time; 0: it does not measure it */
  char* kept;        /**< input, then output; `few` if these suffice */
  char few[2 * default_keep];
};

/** Describes a reduction. Returns false if it is not recorded. Every true needs a `reduction_end`,
    `reduction_pending` or `reduction_persistent`. */
bool reduction_describe(struct reduction* reduction, const struct arguments* arguments);
/** Digests or copies the input, then takes the time. */
void reduction_begin(struct reduction* reduction);
void reduction_end(struct reduction* reduction, int code);
/** Keeps a reduction until its request completes. */
void reduction_pending(struct reduction* reduction, MPI_Request request, int code);
/** Keeps the arguments of a persistent reduction until its request starts. */
void reduction_persistent(struct reduction* reduction, MPI_Request request, int code);
/** Appends the record of a reduction and frees what it holds. */
void reduction_complete(struct reduction* reduction, unsigned flags);

/* requests.c */

struct pending;

/** Reductions that some requests belong to; null for others. */
struct taken {
  int count;
  struct pending** list;
  struct pending* few[16];
};

void requests_add(MPI_Request request, const struct reduction* reduction, bool persistent);
/** Whether any request belongs to a reduction. */
bool requests_any(void);
/** Finds the reductions of requests. */
void requests_take(struct taken* taken, int count, const MPI_Request* requests);
/** Notes that request `index` is complete. */
void requests_complete(struct taken* taken, int index);
void requests_release(struct taken* taken);
/** Digests the inputs of persistent reductions that are about to start. */
void requests_starting(struct taken* taken);
void requests_started(struct taken* taken);
void requests_freed(MPI_Request request);
/** Records the reductions that have not ended. */
void requests_stop(void);

/* other calls */

/** Enters an other function. Returns false if it is not recorded. */
static inline bool other_begin(int64_t* entry) {
  if (!recording || depth > 0) return false;
  ++depth;
  *entry = recorder_now();
  return true;
}

/** A function of which only the time is recorded, and the number of its name. */
struct other_name {
  const char* name;
  bool known;
  uint32_t id;
};

/** Records the time of the function and leaves it. */
void other_end(struct other_name* name, int64_t entry);
