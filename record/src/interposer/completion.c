/* SPDX-License-Identifier: MIT */

#include "recorder.h"

/* Functions that start, complete and free requests. Of these only the time is recorded, but the
   result of a reduction is digested when its request completes. */

#define ENTER(NAME, COUNT, REQUESTS)                    \
  static struct other_name name = {.name = NAME};       \
  int64_t entry = 0;                                    \
  const bool timed = other_begin(&entry);               \
  struct taken taken = {.count = 0, .list = taken.few}; \
  if (timed) requests_take(&taken, COUNT, REQUESTS)

/* The time of the function does not include the digests. */
#define LEAVE(COMPLETE)                           \
  if (timed) {                                    \
    other_end(&name, entry);                      \
    if (code == MPI_SUCCESS && taken.count > 0) { \
      COMPLETE;                                   \
    }                                             \
    requests_release(&taken);                     \
  }                                               \
  return code

static void complete_all(struct taken* taken) {
  for (int i = 0; i < taken->count; ++i) requests_complete(taken, i);
}

static void complete_some(struct taken* taken, int count, const int* indices) {
  for (int i = 0; count != MPI_UNDEFINED && i < count; ++i) requests_complete(taken, indices[i]);
}

EXPORT int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  ENTER("MPI_Wait", 1, request);
  const int code = PMPI_Wait(request, status);
  LEAVE(requests_complete(&taken, 0));
}

EXPORT int MPI_Waitall(int count, MPI_Request requests[], MPI_Status* statuses) {
  ENTER("MPI_Waitall", count, requests);
  const int code = PMPI_Waitall(count, requests, statuses);
  LEAVE(complete_all(&taken));
}

EXPORT int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  ENTER("MPI_Waitany", count, requests);
  const int code = PMPI_Waitany(count, requests, index, status);
  LEAVE(requests_complete(&taken, *index));
}

EXPORT int MPI_Waitsome(int count, MPI_Request requests[], int* completed, int indices[],
                        MPI_Status* statuses) {
  ENTER("MPI_Waitsome", count, requests);
  const int code = PMPI_Waitsome(count, requests, completed, indices, statuses);
  LEAVE(complete_some(&taken, *completed, indices));
}

EXPORT int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  ENTER("MPI_Test", 1, request);
  const int code = PMPI_Test(request, flag, status);
  LEAVE(if (*flag) requests_complete(&taken, 0));
}

EXPORT int MPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status* statuses) {
  ENTER("MPI_Testall", count, requests);
  const int code = PMPI_Testall(count, requests, flag, statuses);
  LEAVE(if (*flag) complete_all(&taken));
}

EXPORT int MPI_Testany(int count, MPI_Request requests[], int* index, int* flag,
                       MPI_Status* status) {
  ENTER("MPI_Testany", count, requests);
  const int code = PMPI_Testany(count, requests, index, flag, status);
  LEAVE(if (*flag) requests_complete(&taken, *index));
}

EXPORT int MPI_Testsome(int count, MPI_Request requests[], int* completed, int indices[],
                        MPI_Status* statuses) {
  ENTER("MPI_Testsome", count, requests);
  const int code = PMPI_Testsome(count, requests, completed, indices, statuses);
  LEAVE(complete_some(&taken, *completed, indices));
}

EXPORT int MPI_Start(MPI_Request* request) {
  ENTER("MPI_Start", 1, request);
  requests_starting(&taken);
  const int code = PMPI_Start(request);
  LEAVE(requests_started(&taken));
}

EXPORT int MPI_Startall(int count, MPI_Request requests[]) {
  ENTER("MPI_Startall", count, requests);
  requests_starting(&taken);
  const int code = PMPI_Startall(count, requests);
  LEAVE(requests_started(&taken));
}

EXPORT int MPI_Request_free(MPI_Request* request) {
  if (recording && depth == 0) requests_freed(*request);
  return PMPI_Request_free(request);
}

EXPORT int MPI_Op_create(MPI_User_function* function, int commute, MPI_Op* op) {
  const int code = PMPI_Op_create(function, commute, op);
  if (code == MPI_SUCCESS && recording && depth == 0) {
    recorder_lock();
    op_created(*op, (void*)(uintptr_t)function, commute);
    recorder_unlock();
  }
  return code;
}
