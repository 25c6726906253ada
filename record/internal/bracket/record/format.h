/* SPDX-License-Identifier: MIT */

#pragma once

/* The format of a trace file, which the interposer (C) writes and the reader (C++) reads. Numbers
   are little-endian. Every struct begins at a multiple of 8 bytes. record/README.md describes the
   format. */

#include <stdint.h>

#ifdef __cplusplus
namespace bracket::record::format {
#endif

enum {
  trace_version = 4,
  default_keep = 64,
  most_keep = 16 << 20,
  most_path = 16,
  self_number = 1 << 30, /**< begins the path of MPI_COMM_SELF and of those made from it */
  most_name = 4096       /**< bytes of a name in a definition */
};

#define BRACKET_TRACE_MAGIC "BRACKETR"

/** The name of other calls: reductions whose processes are not all in MPI_COMM_WORLD, or in two
    groups. */
static const char* const foreign_calls =
    "reductions on intercommunicators or with spawned processes";

/** The beginning of a file. Texts end with a zero byte. */
struct header {
  char magic[8];
  uint32_t version;
  uint32_t bytes;  /**< size of this struct */
  uint8_t run[16]; /**< random, the same on all ranks of a run */
  int32_t rank;
  int32_t ranks;
  uint32_t keep;     /**< most bytes kept of an input or an output */
  uint32_t check;    /**< check of the header, computed while this field is 0 */
  int64_t realtime;  /**< nanoseconds since 1970, at the same moment as `monotonic` */
  int64_t monotonic; /**< nanoseconds of the clock of all records */
  char host[64];
  char library[128];
  char program[256];
};

enum kind {
  kind_communicator = 1,
  kind_type,
  kind_op,
  kind_site,
  kind_call,
  kind_reduction,
  kind_other,
  kind_end,
  kind_repeat
};

/** The beginning of every record. */
struct head {
  uint32_t bytes; /**< size of the record with what follows it, a multiple of 8 */
  uint32_t check; /**< check of the bytes after this field and of the number of the record */
  uint16_t kind;
  uint16_t call;  /**< enum call of a reduction, enum end of an end */
  uint32_t flags; /**< flags of a reduction; number of the call of an other; site of a repeat */
};

/** Defines the number `id` of its kind. Numbers of a kind count from 0 in each file. */
struct definition {
  struct head head;
  uint32_t id;
  uint32_t number;  /**< communicator: numbers of its path; type: bytes of a part (a component of a
                         complex number); op: whether it commutes; site: bytes from the beginning
                         of the symbol */
  uint32_t size;    /**< communicator: depth; type: bytes of an item */
  uint32_t element; /**< type: enum element */
  uint64_t offset;  /**< communicator: identity; site: bytes from the beginning of the object */
  uint32_t first;   /**< bytes of: the members and the path, as struct members and uint32_t; the
                         name; the path of the object */
  uint32_t second;  /**< bytes of: the name of the communicator; the symbol */
};

/** The depth of MPI_COMM_WORLD and MPI_COMM_SELF is 0, and that of one that is made from another
    one is 1 more. The path has the numbers on the way from them: each is the number of a
    communicator among those that were made from the same one, or `self_number`. Of a long way, the
   path has the first half of `most_path` numbers and the last half. The identity is a hash of the
   whole way. If nobody saw how a communicator was made, its depth is this one, and its path and
   identity are the number of such communicators with the same members before. */
static const uint32_t unseen_depth = UINT32_MAX;

/** Members with consecutive ranks in MPI_COMM_WORLD. */
struct members {
  int32_t first;
  int32_t count;
};

enum element {
  element_other,
  element_float,   /**< IEEE 754, of 4 or 8 bytes */
  element_complex, /**< two floats */
  element_signed,
  element_unsigned,
  element_extended, /**< x87, 10 bytes in 16, the others zeroed */
  element_count
};

enum call {
  call_allreduce,
  call_reduce,
  call_reduce_scatter,
  call_reduce_scatter_block,
  call_scan,
  call_exscan,
  call_count
};

enum flags {
  flag_nonblocking = 1,
  flag_persistent = 2,
  flag_in_place = 4,
  flag_input = 8,       /**< this rank has an input */
  flag_output = 16,     /**< this rank has an output */
  flag_unfinished = 32, /**< it had not ended when the recording ended */
  flag_failed = 64,     /**< MPI returned an error */
  all_flags = 127
};

/** A reduction on this rank. The kept bytes of the input follow, then those of the output. */
struct reduction_record {
  struct head head;
  uint32_t communicator;
  uint32_t type;
  uint32_t op;
  uint32_t site;
  int32_t root; /**< rank in the communicator; -1: none */
  uint32_t kept_input;
  uint32_t kept_output;
  uint32_t recording; /**< nanoseconds that the recorder took, until `entry` and since the `entry`
                           before of this rank: for each other call two readings of the clock; for
                           most short reductions the mean of some that were measured; at most
                           2^32 - 1; 0 if nobody measured it */
  uint64_t sequence;  /**< reductions that this rank began before on this communicator */
  uint64_t count;     /**< items of the input; of a reduce-scatter, on all ranks together */
  int64_t entry;      /**< after the recorder has read the input */
  int64_t returned;   /**< when the call returned */
  int64_t completed;  /**< when the result was there; as `returned` if the call blocks */
  uint64_t input_bytes;
  uint64_t input_digest; /**< XXH3 of the items without gaps, seed 0 */
  uint64_t output_bytes;
  uint64_t output_digest;
};

/** A blocking reduction that differs from the last `reduction_record` of its site by what is here
    and by its sequence: it follows the last one on its communicator that a record is of. All bytes
    of its input and output are kept. They follow, and their digests are not written. */
struct repeat_record {
  struct head head;
  int64_t entry;
  uint32_t nanoseconds; /**< from `entry` until the call returned */
  uint32_t recording;   /**< as in reduction_record */
};

/** Consecutive calls of one other function. */
struct other_record {
  struct head head;
  uint64_t count;
  int64_t entry;       /**< of the first */
  int64_t completed;   /**< of the last */
  int64_t nanoseconds; /**< in all of them */
};

enum end { end_finalize, end_exit, end_abort, end_signal, end_count };

/** The last record of a file. */
struct end_record {
  struct head head;
  int64_t time;
};

#ifdef __cplusplus
}
#endif
