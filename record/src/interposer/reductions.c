/* SPDX-License-Identifier: MIT */

#include <stdlib.h>
#include <string.h>

#include "recorder.h"

/* Which items a rank gives to a reduction and gets from it. */
static void set_data(struct reduction* reduction, const struct arguments* arguments) {
  const struct communicator* const comm = reduction->comm;
  struct reduction_record* const record = &reduction->record;
  unsigned flags = arguments->flags;
  record->head.flags = flags;
  /* Nobody may touch the buffers of a call that MPI will refuse. */
  if (!reduction->facts.committed || !are_valid(arguments, comm->rank, comm->size)) return;
  flags |= flag_input | flag_output;
  const bool without_output =
      (arguments->call == call_reduce && comm->rank != arguments->root) ||
      (arguments->call == call_exscan && comm->rank == 0); /* it is undefined there */
  if (without_output) flags &= ~(unsigned)flag_output;
  reduction->input = arguments->send;
  if (arguments->send == MPI_IN_PLACE) {
    flags |= flag_in_place;
    reduction->input = arguments->receive;
  }
  reduction->input_count = all_items(arguments, comm->size);
  reduction->output = arguments->receive;
  reduction->output_count = own_items(arguments, comm->rank);
  record->count = (uint64_t)reduction->input_count;
  record->head.flags = flags;
}

bool reduction_describe(struct reduction* reduction, const struct arguments* arguments) {
  if (!recording || depth > 0 || IS_NULL(arguments->type, MPI_DATATYPE_NULL) ||
      IS_NULL(arguments->op, MPI_OP_NULL)) {
    return false;
  }
  const int64_t described = arguments->flags != 0 || own_time_is_due() ? recorder_now() : 0;
  recorder_lock();
  const int64_t before = own_time();
  struct communicator* const comm = communicator_of(arguments->comm);
  /* Of a reduction between two groups, only the time is recorded. */
  const bool only_time = comm != NULL && comm->inter;
  const bool known = comm != NULL && !(only_time && (arguments->flags & flag_persistent)) &&
                     (only_time || type_of(arguments->type, &reduction->facts));
  if (known) {
    ++depth;
    reduction->comm = comm;
  }
  if (known && !only_time) {
    reduction->type = arguments->type;
    reduction->site = fortran_site != NULL ? fortran_site : arguments->site;
    reduction->kept = NULL;
    /* A copy takes less time than zeroing. */
    static const struct reduction_record empty = {.head = {.kind = kind_reduction}, .root = -1};
    struct reduction_record* const record = &reduction->record;
    *record = empty;
    record->head.call = (uint16_t)arguments->call;
    record->communicator = comm->id;
    record->type = reduction->facts.id;
    record->op = op_of(arguments->op);
    record->site = site_of(reduction->site);
    if (arguments->call == call_reduce) record->root = arguments->root;
    set_data(reduction, arguments);
    /* The time of writing definitions to the file has been added. */
    reduction->described = described == 0 ? 0 : described + own_time() - before;
  }
  recorder_unlock();
  return known;
}

static char* kept_by(struct reduction* reduction) {
  const size_t keep = buffer_keep();
  if (keep <= default_keep) return reduction->few;
  if (reduction->kept == NULL) reduction->kept = malloc(2 * keep);
  if (reduction->kept == NULL) abort();
  return reduction->kept;
}

/* Such reductions take the recorder about as long as each other. */
static bool is_short(const struct reduction* reduction) {
  const unsigned flags = reduction->record.head.flags;
  return (flags & flag_input) != 0 && (flags & (flag_nonblocking | flag_persistent)) == 0 &&
         reduction->facts.contiguous &&
         reduction->input_count * reduction->facts.size <= default_keep;
}

void reduction_begin(struct reduction* reduction) {
  struct reduction_record* const record = &reduction->record;
  if (reduction->comm->inter) {
    record->entry = recorder_now();
    return;
  }
  if (record->head.flags & flag_input) {
    if (reduction->described == 0 && !is_short(reduction)) reduction->described = recorder_now();
    const struct digest digest = digest_of(reduction->input, reduction->input_count,
                                           &reduction->facts, reduction->type, kept_by(reduction));
    record->kept_input = digest.kept;
    record->input_bytes = digest.bytes;
    record->input_digest = digest.digest;
  }
  recorder_lock();
  record->sequence = reduction->comm->sequence++;
  record->entry = recorder_now();
  int64_t taken = own_time_take();
  if (reduction->described != 0) taken += record->entry - reduction->described;
  if (taken < 0) taken = 0; /* writing to the file is timed by another clock */
  record->recording = (uint32_t)(taken < UINT32_MAX ? taken : UINT32_MAX);
  recorder_unlock();
}

/* Appends the record, or that of a repeat. */
static void append(struct reduction* reduction, const char* input, const char* output) {
  struct reduction_record* const record = &reduction->record;
  const bool repeat = is_repeat(record, reduction->comm->recorded);
  reduction->comm->recorded = record->sequence + 1;
  if (repeat) {
    struct repeat_record brief = {
        .head = {.kind = kind_repeat, .flags = record->site},
        .entry = record->entry,
        .nanoseconds = (uint32_t)(record->completed - record->entry),
        .recording = record->recording,
    };
    buffer_append(&brief.head, sizeof brief, input, record->kept_input, output,
                  record->kept_output);
    return;
  }
  if ((record->head.flags & flag_input) && record->kept_input == record->input_bytes) {
    record->input_digest = digest_of_bytes(input, record->input_bytes);
  }
  if ((record->head.flags & flag_output) && record->kept_output == record->output_bytes) {
    record->output_digest = digest_of_bytes(output, record->output_bytes);
  }
  buffer_append(&record->head, sizeof *record, input, record->kept_input, output,
                record->kept_output);
}

void reduction_complete(struct reduction* reduction, unsigned flags) {
  struct reduction_record* const record = &reduction->record;
  record->head.flags |= flags;
  if (flags & (flag_failed | flag_unfinished)) record->head.flags &= ~(unsigned)flag_output;
  char* const kept = kept_by(reduction);
  if (record->head.flags & flag_output) {
    const struct digest digest =
        digest_of(reduction->output, reduction->output_count, &reduction->facts, reduction->type,
                  kept + buffer_keep());
    record->kept_output = digest.kept;
    record->output_bytes = digest.bytes;
    record->output_digest = digest.digest;
  }
  recorder_lock();
  const int64_t before = own_time();
  if (recording) {
    append(reduction, kept, kept + buffer_keep());
    buffer_flush_if_late(record->completed);
  }
  if (reduction->described == 0) {
    own_time_add_usual();
  } else {
    /* The time of writing to the file has been added. */
    const int64_t taken = recorder_now() - record->completed - (own_time() - before);
    own_time_add(taken, 1);
    if (is_short(reduction)) own_time_measured(record->entry - reduction->described + taken);
  }
  recorder_unlock();
  free(reduction->kept);
  reduction->kept = NULL;
}

/* Leaves a call on an intercommunicator. Returns false for others. */
static bool leave_timed(const struct reduction* reduction) {
  static struct other_name name = {.name = "reductions on intercommunicators"};
  if (!reduction->comm->inter) return false;
  other_end(&name, reduction->record.entry);
  return true;
}

void reduction_end(struct reduction* reduction, int code) {
  if (leave_timed(reduction)) return;
  reduction->record.returned = reduction->record.completed = recorder_now();
  reduction_complete(reduction, code == MPI_SUCCESS ? 0 : flag_failed);
  --depth;
}

void reduction_pending(struct reduction* reduction, MPI_Request request, int code) {
  if (leave_timed(reduction)) return;
  reduction->record.returned = recorder_now();
  if (code == MPI_SUCCESS) {
    requests_add(request, reduction, false);
  } else {
    reduction->record.completed = reduction->record.returned;
    reduction_complete(reduction, flag_failed);
  }
  --depth;
}

void reduction_persistent(struct reduction* reduction, MPI_Request request, int code) {
  if (code == MPI_SUCCESS) requests_add(request, reduction, true);
  --depth;
}

/* What a call put there; after an error, the pointer itself may be wrong. */
#define MADE (code == MPI_SUCCESS ? *request : MPI_REQUEST_NULL)

#define DESCRIBE(CALL, FIELD, ROOT, FLAGS)                                      \
  struct reduction reduction;                                                   \
  const struct arguments arguments = ARGUMENTS(CALL, FIELD, ROOT, FLAGS, SITE); \
  const bool described = reduction_describe(&reduction, &arguments)

#define BLOCKING(NAME, CALL, COUNT, FIELD, ROOT)                                        \
  EXPORT int NAME(const void* send, void* receive, COUNT, MPI_Datatype type, MPI_Op op, \
                  PARAMETER_##ROOT MPI_Comm comm) {                                     \
    DESCRIBE(CALL, FIELD, ROOT, 0);                                                     \
    if (described) reduction_begin(&reduction);                                         \
    const int code = P##NAME(send, receive, count, type, op, ARGUMENT_##ROOT comm);     \
    if (described) reduction_end(&reduction, code);                                     \
    return code;                                                                        \
  }

#define NONBLOCKING(NAME, CALL, COUNT, FIELD, ROOT)                                          \
  EXPORT int NAME(const void* send, void* receive, COUNT, MPI_Datatype type, MPI_Op op,      \
                  PARAMETER_##ROOT MPI_Comm comm, MPI_Request* request) {                    \
    DESCRIBE(CALL, FIELD, ROOT, flag_nonblocking);                                           \
    if (described) reduction_begin(&reduction);                                              \
    const int code = P##NAME(send, receive, count, type, op, ARGUMENT_##ROOT comm, request); \
    if (described) reduction_pending(&reduction, MADE, code);                                \
    return code;                                                                             \
  }

#define PERSISTENT(NAME, CALL, COUNT, FIELD, ROOT)                                                 \
  EXPORT int NAME(const void* send, void* receive, COUNT, MPI_Datatype type, MPI_Op op,            \
                  PARAMETER_##ROOT MPI_Comm comm, MPI_Info info, MPI_Request* request) {           \
    DESCRIBE(CALL, FIELD, ROOT, flag_persistent);                                                  \
    const int code = P##NAME(send, receive, count, type, op, ARGUMENT_##ROOT comm, info, request); \
    if (described) reduction_persistent(&reduction, MADE, code);                                   \
    return code;                                                                                   \
  }

#include "preload/all_reductions.h"
