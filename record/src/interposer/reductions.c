/* SPDX-License-Identifier: MIT */

#include <stdlib.h>
#include <string.h>

#include "recorder.h"

/* Without a call for the most frequent size. */
static void copy_few(char* to, const void* from, size_t bytes) {
  if (bytes == sizeof(double)) {
    memcpy(to, from, sizeof(double));
  } else {
    memcpy(to, from, bytes);
  }
}

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

/* Describes a reduction from its arguments alone. */
static bool describe(struct reduction* reduction, const struct arguments* arguments) {
  if (IS_NULL(arguments->type, MPI_DATATYPE_NULL) || IS_NULL(arguments->op, MPI_OP_NULL)) {
    return false;
  }
  const int64_t described = arguments->flags != 0 || own_time_is_due() ? recorder_now() : 0;
  recorder_lock();
  const int64_t before = own_time();
  struct communicator* const comm = communicator_of(arguments->comm);
  /* Of a reduction between two groups, only the time is recorded. */
  const bool only_time = comm != NULL && comm->foreign;
  const bool known = comm != NULL && !(only_time && (arguments->flags & flag_persistent)) &&
                     (only_time || type_of(arguments->type, &reduction->facts));
  if (known) {
    ++depth;
    reduction->comm = comm;
  }
  reduction->repeats = NULL;
  if (known && !only_time) {
    reduction->type = arguments->type;
    reduction->op = arguments->op;
    reduction->handle = arguments->comm;
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

bool reduction_describe(struct reduction* reduction, const struct arguments* arguments) {
  if (!recording || depth > 0) return false;
  const struct repeated* const repeats = repeated_by(arguments);
  if (repeats == NULL) return describe(reduction, arguments);
  reduction->described = own_time_is_due() ? recorder_now() : 0;
  ++depth;
  reduction->repeats = repeats;
  reduction->input = repeats->in_place ? arguments->receive : arguments->send;
  reduction->output = arguments->receive;
  return true;
}

static char* kept_by(struct reduction* reduction) {
  const size_t keep = buffer_keep();
  if (keep <= default_keep) return reduction->few;
  if (reduction->kept == NULL) reduction->kept = malloc(2 * keep);
  if (reduction->kept == NULL) abort();
  return reduction->kept;
}

/* Most such reductions repeat others, and take the recorder about as long as these. */
static bool is_short(const struct reduction* reduction) {
  const unsigned flags = reduction->record.head.flags;
  return (flags & flag_input) != 0 && (flags & (flag_nonblocking | flag_persistent)) == 0 &&
         reduction->facts.contiguous &&
         reduction->input_count * reduction->facts.size <= default_keep;
}

/* Takes the time at which the reduction begins. Only with the lock. */
static void enter(struct reduction* reduction, struct communicator* comm) {
  struct reduction_record* const record = &reduction->record;
  record->sequence = comm->sequence++;
  record->entry = recorder_now();
  int64_t taken = own_time_take();
  if (reduction->described != 0) taken += record->entry - reduction->described;
  if (taken < 0) taken = 0; /* writing to the file is timed by another clock */
  record->recording = (uint32_t)(taken < UINT32_MAX ? taken : UINT32_MAX);
}

void reduction_begin(struct reduction* reduction) {
  struct reduction_record* const record = &reduction->record;
  const struct repeated* const repeats = reduction->repeats;
  if (repeats != NULL) {
    copy_few(reduction->few, reduction->input, repeats->input_bytes);
    enter(reduction, repeats->comm);
    return;
  }
  if (reduction->comm->foreign) {
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
  enter(reduction, reduction->comm);
  recorder_unlock();
}

/* Appends the record of a repeat. */
static void append_repeat(const struct reduction_record* record, uint32_t site, const void* input,
                          size_t input_bytes, const void* output, size_t output_bytes) {
  struct repeat_record brief = {
      .head = {.kind = kind_repeat, .flags = site},
      .entry = record->entry,
      .nanoseconds = (uint32_t)(record->completed - record->entry),
      .recording = record->recording,
  };
  buffer_append(&brief.head, sizeof brief, input, input_bytes, output, output_bytes);
}

/* Appends the record, or that of a repeat. */
static void append(struct reduction* reduction, const char* input, const char* output) {
  struct reduction_record* const record = &reduction->record;
  const bool repeat = is_repeat(reduction, reduction->comm->recorded);
  reduction->comm->recorded = record->sequence + 1;
  if (repeat) {
    append_repeat(record, record->site, input, record->kept_input, output, record->kept_output);
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

/* Adds the recorder's time since the reduction completed, and notes that of a short one. `before`
   is the own time when it completed: that of writing to the file has been added since. */
static void add_own_time(const struct reduction* reduction, int64_t before, bool is_short) {
  const struct reduction_record* const record = &reduction->record;
  if (reduction->described == 0) {
    own_time_add_usual();
    return;
  }
  const int64_t taken = recorder_now() - record->completed - (own_time() - before);
  own_time_add(taken, 1);
  if (is_short) own_time_measured(record->entry - reduction->described + taken);
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
  add_own_time(reduction, before, is_short(reduction));
  recorder_unlock();
  free(reduction->kept);
  reduction->kept = NULL;
}

/* Leaves a call on an intercommunicator. Returns false for others. */
static bool leave_timed(const struct reduction* reduction) {
  static struct other_name name = {.name = foreign_calls};
  if (!reduction->comm->foreign) return false;
  other_end(&name, reduction->record.entry);
  return true;
}

/* Gives a repeat the description that a full record needs. */
static void describe_repeat(struct reduction* reduction) {
  const struct repeated* const repeats = reduction->repeats;
  const struct reduction_record repeat = reduction->record;
  struct reduction_record* const record = &reduction->record;
  *record = *last_record_of(repeats->id);
  record->sequence = repeat.sequence;
  record->entry = repeat.entry;
  record->completed = repeat.completed;
  record->recording = repeat.recording;
  /* If MPI failed, there is no output. */
  record->kept_output = 0;
  record->output_bytes = record->output_digest = 0;
  type_of(repeats->type, &reduction->facts);
  reduction->type = repeats->type;
  reduction->op = repeats->op;
  reduction->handle = repeats->handle;
  reduction->comm = repeats->comm;
  reduction->site = repeats->site;
  reduction->input_count = reduction->output_count = repeats->count;
  reduction->kept = NULL;
  char* const kept = kept_by(reduction);
  if (kept != reduction->few) memcpy(kept, reduction->few, repeats->input_bytes);
}

static void end_repeat(struct reduction* reduction, int code) {
  const struct repeated* const repeats = reduction->repeats;
  struct reduction_record* const record = &reduction->record;
  record->completed = recorder_now();
  if (code != MPI_SUCCESS || record->completed - record->entry > UINT32_MAX) {
    describe_repeat(reduction);
    record->returned = record->completed;
    reduction_complete(reduction, code == MPI_SUCCESS ? 0 : flag_failed);
    return;
  }
  const int64_t before = own_time();
  if (recording) {
    append_repeat(record, repeats->id, reduction->few, repeats->input_bytes, reduction->output,
                  repeats->output_bytes);
    buffer_flush_if_late(record->completed);
  }
  repeats->comm->recorded = record->sequence + 1;
  add_own_time(reduction, before, true);
}

void reduction_end(struct reduction* reduction, int code) {
  if (reduction->repeats != NULL) {
    end_repeat(reduction, code);
    --depth;
    return;
  }
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
