/* SPDX-License-Identifier: MIT */

#include <stdlib.h>

#include "fortran.h"
#include "recorder.h"

/* Functions for Fortran that are no reductions. Open MPI's call PMPI's functions for C, and so do
   some of MPICH's. If they call MPI's, `depth` keeps a call from being recorded twice. A name that
   the library does not have is never called. */

/* Calls of which only the time is recorded. */

#define TIMED(FUNCTION, NAME, ARITY)                \
  EXPORT void FUNCTION(PARAMETERS_##ARITY) {        \
    NEXT(FUNCTION, ARITY);                          \
    static struct other_name name = {.name = NAME}; \
    int64_t entry = 0;                              \
    const bool timed = other_begin(&entry);         \
    next(ARGUMENTS_##ARITY);                        \
    if (timed) other_end(&name, entry);             \
  }
#define CALL(NAME, LOWER, ARITY, PARAMETERS, ARGUMENTS) \
  TIMED(mpi_##LOWER##_, "MPI_" #NAME, ARITY)            \
  TIMED(mpi_##LOWER##_f08_, "MPI_" #NAME, ARITY)        \
  TIMED(mpi_##LOWER##_f08ts_, "MPI_" #NAME, ARITY)
#include "calls.h"

/* Calls that make communicators. */

static int number(const void* argument) { return *(const MPI_Fint*)argument; }

#define COMM(PARAMETER) PMPI_Comm_f2c(number(PARAMETER))
#define GROUP(PARAMETER) PMPI_Group_f2c(number(PARAMETER))
#define INTEGER(PARAMETER) number(PARAMETER)
#define MAKING(FUNCTION, NAME, ARITY, MADE, ORIGIN)                                              \
  EXPORT void FUNCTION(PARAMETERS_##ARITY) {                                                     \
    NEXT(FUNCTION, ARITY);                                                                       \
    static struct other_name name = {.name = NAME};                                              \
    int64_t entry = 0;                                                                           \
    const bool timed = other_begin(&entry);                                                      \
    struct creation creation = {.known = false};                                                 \
    if (timed) creation = ORIGIN;                                                                \
    next(ARGUMENTS_##ARITY);                                                                     \
    if (!timed) return;                                                                          \
    creation_end(&creation, code_of(ERROR_##ARITY) == MPI_SUCCESS ? COMM(MADE) : MPI_COMM_NULL); \
    other_end(&name, entry);                                                                     \
  }
#define CREATION(NAME, LOWER, ARITY, PARAMETERS, ARGUMENTS, MADE, ORIGIN) \
  MAKING(mpi_##LOWER##_, "MPI_" #NAME, ARITY, MADE, ORIGIN)               \
  MAKING(mpi_##LOWER##_f08_, "MPI_" #NAME, ARITY, MADE, ORIGIN)
#include "creations.h"

/* Calls that start, complete and free requests. */

static void take(struct taken* taken, int count, const MPI_Fint* requests) {
  *taken = (struct taken){.count = 0, .list = taken->few};
  if (!requests_any() || count <= 0) return;
  MPI_Request* const handles = malloc((size_t)count * sizeof *handles);
  if (handles == NULL) abort();
  for (int i = 0; i < count; ++i) handles[i] = PMPI_Request_f2c(requests[i]);
  requests_take(taken, count, handles);
  free(handles);
}

/* Completes `count` requests whose numbers count from 1. */
static void complete_some(struct taken* taken, int count, const MPI_Fint* indices) {
  for (int i = 0; count != MPI_UNDEFINED && i < count; ++i)
    requests_complete(taken, indices[i] - 1);
}

static void complete_all(struct taken* taken) {
  for (int i = 0; i < taken->count; ++i) requests_complete(taken, i);
}

/* COUNT and REQUESTS are the requests, BEFORE and AFTER what is done with those of reductions. */
#define WITH_REQUESTS(FUNCTION, NAME, ARITY, COUNT, REQUESTS, BEFORE, AFTER) \
  EXPORT void FUNCTION(PARAMETERS_##ARITY) {                                 \
    NEXT(FUNCTION, ARITY);                                                   \
    static struct other_name name = {.name = NAME};                          \
    int64_t entry = 0;                                                       \
    const bool timed = other_begin(&entry);                                  \
    struct taken taken = {.count = 0, .list = taken.few};                    \
    if (timed) take(&taken, COUNT, REQUESTS);                                \
    if (taken.count > 0) {                                                   \
      BEFORE;                                                                \
    }                                                                        \
    next(ARGUMENTS_##ARITY);                                                 \
    if (!timed) return;                                                      \
    other_end(&name, entry);                                                 \
    if (taken.count > 0) {                                                   \
      AFTER;                                                                 \
    }                                                                        \
    requests_release(&taken);                                                \
  }
#define REQUESTS(LOWER, NAME, ...)                         \
  WITH_REQUESTS(mpi_##LOWER##_, "MPI_" #NAME, __VA_ARGS__) \
  WITH_REQUESTS(mpi_##LOWER##_f08_, "MPI_" #NAME, __VA_ARGS__)

REQUESTS(wait, Wait, 3, 1, a, , requests_complete(&taken, 0))
REQUESTS(waitall, Waitall, 4, number(a), b, , complete_all(&taken))
REQUESTS(waitany, Waitany, 5, number(a), b, , requests_complete(&taken, number(c) - 1))
REQUESTS(waitsome, Waitsome, 6, number(a), b, , complete_some(&taken, number(c), d))
REQUESTS(test, Test, 4, 1, a, , if (number(b) != 0) requests_complete(&taken, 0))
REQUESTS(testall, Testall, 5, number(a), b, , if (number(c) != 0) complete_all(&taken))
REQUESTS(testany, Testany, 6, number(a), b, ,
         if (number(d) != 0) requests_complete(&taken, number(c) - 1))
REQUESTS(testsome, Testsome, 6, number(a), b, , complete_some(&taken, number(c), d))
REQUESTS(start, Start, 2, 1, a, requests_starting(&taken), requests_started(&taken))
REQUESTS(startall, Startall, 3, number(a), b, requests_starting(&taken), requests_started(&taken))

#define FREE(FUNCTION)                                                \
  EXPORT void FUNCTION(void* request, void* error) {                  \
    NEXT(FUNCTION, 2);                                                \
    if (recording && depth == 0) requests_freed(request_of(request)); \
    next(request, error);                                             \
  }
FREE(mpi_request_free_)
FREE(mpi_request_free_f08_)

/* The beginning and the end. */

#define STARTING(FUNCTION, ARITY)            \
  EXPORT void FUNCTION(PARAMETERS_##ARITY) { \
    NEXT(FUNCTION, ARITY);                   \
    ++depth;                                 \
    next(ARGUMENTS_##ARITY);                 \
    --depth;                                 \
    recorder_start();                        \
  }
STARTING(mpi_init_thread_, 3)
STARTING(mpi_init_thread_f08_, 3)

#define WITH_ERROR(FUNCTION, BEFORE, AFTER)               \
  EXPORT void FUNCTION(void* error) {                     \
    static void (*next)(void*);                           \
    if (next == NULL) find_next((void*)&next, #FUNCTION); \
    BEFORE;                                               \
    next(error);                                          \
    AFTER;                                                \
  }
WITH_ERROR(mpi_init_, ++depth, (--depth, recorder_start()))
WITH_ERROR(mpi_init_f08_, ++depth, (--depth, recorder_start()))
WITH_ERROR(mpi_finalize_, recorder_stop(end_finalize), (void)0)
WITH_ERROR(mpi_finalize_f08_, recorder_stop(end_finalize), (void)0)

#define ABORTING(FUNCTION)                          \
  EXPORT void FUNCTION(void* a, void* b, void* c) { \
    NEXT(FUNCTION, 3);                              \
    recorder_stop(end_abort);                       \
    next(a, b, c);                                  \
  }
ABORTING(mpi_abort_)
ABORTING(mpi_abort_f08_)

#define OPERATOR(FUNCTION)                                                      \
  EXPORT void FUNCTION(void* function, void* commutes, void* op, void* error) { \
    NEXT(FUNCTION, 4);                                                          \
    next(function, commutes, op, error);                                        \
    if (!recording || depth > 0 || code_of(error) != MPI_SUCCESS) return;       \
    recorder_lock();                                                            \
    op_created(PMPI_Op_f2c(*(const MPI_Fint*)op), function, number(commutes));  \
    recorder_unlock();                                                          \
  }
OPERATOR(mpi_op_create_)
OPERATOR(mpi_op_create_f08_)
