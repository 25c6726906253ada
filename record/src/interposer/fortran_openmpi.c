#include "recorder.h"

#ifdef OPEN_MPI

#include <dlfcn.h>
#include <stdlib.h>

#include "fortran.h"

/* Open MPI's functions for Fortran call PMPI's functions for C, so they have wrappers of their own.
   Those of `use mpi_f08` have the same arguments as those of mpif.h; only the error may be absent.
 */

/* Whether an address is that of the named constant. The compiler decides the ending of the name. */
static bool is_constant(const void* address, void* constants[4], const char* const names[4]) {
  for (int i = 0; i < 4; ++i) {
    if (constants[i] == NULL) constants[i] = dlsym(RTLD_DEFAULT, names[i]);
    if (address != NULL && address == constants[i]) return true;
  }
  return false;
}

/* The address in C of a buffer in Fortran. */
static void* buffer_of(void* address) {
  static void* in_place[4];
  static void* bottom[4];
  static const char* const names[] = {"mpi_fortran_in_place_", "mpi_fortran_in_place",
                                      "mpi_fortran_in_place__", "MPI_FORTRAN_IN_PLACE"};
  static const char* const bottoms[] = {"mpi_fortran_bottom_", "mpi_fortran_bottom",
                                        "mpi_fortran_bottom__", "MPI_FORTRAN_BOTTOM"};
  if (is_constant(address, in_place, names)) return MPI_IN_PLACE;
  return is_constant(address, bottom, bottoms) ? MPI_BOTTOM : address;
}

/* The call that is in `arguments[0]` to `arguments[5]` or, with a root, `arguments[6]`. */
static bool describe(struct reduction* reduction, enum call call, unsigned flags, void* site,
                     void* const arguments[7]) {
  if (!recording || depth > 0) return false;
  const bool has_root = call == call_reduce;
  const bool has_counts = call == call_reduce_scatter;
  const struct arguments described = {
      .call = call,
      .flags = flags,
      .send = buffer_of(arguments[0]),
      .receive = buffer_of(arguments[1]),
      .count = has_counts ? 0 : *(const MPI_Fint*)arguments[2],
      .counts = has_counts ? arguments[2] : NULL,
      .type = PMPI_Type_f2c(*(const MPI_Fint*)arguments[3]),
      .op = PMPI_Op_f2c(*(const MPI_Fint*)arguments[4]),
      .root = has_root ? *(const MPI_Fint*)arguments[5] : -1,
      .comm = PMPI_Comm_f2c(*(const MPI_Fint*)arguments[has_root ? 6 : 5]),
      .site = site};
  return reduction_describe(reduction, &described);
}

/* An absent error means that a failure ends the program. */
static int code_of(const void* error) { return error == NULL ? 0 : *(const MPI_Fint*)error; }

static MPI_Request request_of(const void* request) {
  return PMPI_Request_f2c(*(const MPI_Fint*)request);
}

#define DESCRIBE(FUNCTION, ARITY, CALL, FLAGS)   \
  NEXT(FUNCTION, ARITY);                         \
  struct reduction reduction;                    \
  void* const arguments[] = {ARGUMENTS_##ARITY}; \
  const bool described = describe(&reduction, CALL, FLAGS, SITE, arguments)

/* ERROR and REQUEST are the parameters of the error and of the request. */
#define BLOCKING(FUNCTION, ARITY, CALL, ERROR)                \
  EXPORT void FUNCTION(PARAMETERS_##ARITY) {                  \
    DESCRIBE(FUNCTION, ARITY, CALL, 0);                       \
    if (described) reduction_begin(&reduction);               \
    next(ARGUMENTS_##ARITY);                                  \
    if (described) reduction_end(&reduction, code_of(ERROR)); \
  }

#define NONBLOCKING(FUNCTION, ARITY, CALL, REQUEST, ERROR)                             \
  EXPORT void FUNCTION(PARAMETERS_##ARITY) {                                           \
    DESCRIBE(FUNCTION, ARITY, CALL, flag_nonblocking);                                 \
    if (described) reduction_begin(&reduction);                                        \
    next(ARGUMENTS_##ARITY);                                                           \
    if (described) reduction_pending(&reduction, request_of(REQUEST), code_of(ERROR)); \
  }

#define PERSISTENT(FUNCTION, ARITY, CALL, REQUEST, ERROR)                                 \
  EXPORT void FUNCTION(PARAMETERS_##ARITY) {                                              \
    DESCRIBE(FUNCTION, ARITY, CALL, flag_persistent);                                     \
    next(ARGUMENTS_##ARITY);                                                              \
    if (described) reduction_persistent(&reduction, request_of(REQUEST), code_of(ERROR)); \
  }

#if MPI_VERSION >= 4
#define INIT(NAME) mpi_##NAME##_init
#else
#define INIT(NAME) mpix_##NAME##_init
#endif
#define JOINED(NAME, ENDING) NAME##ENDING
#define ENDING(NAME, WITH) JOINED(NAME, WITH)

#define VARIANT(LOWER, CALL, END)                       \
  BLOCKING(ENDING(mpi_##LOWER, END), 7, CALL, g)        \
  NONBLOCKING(ENDING(mpi_i##LOWER, END), 8, CALL, g, h) \
  PERSISTENT(ENDING(INIT(LOWER), END), 9, CALL, h, i)
#define ALL(LOWER, CALL)  \
  VARIANT(LOWER, CALL, _) \
  VARIANT(LOWER, CALL, _f08_)
FORTRAN_REDUCTIONS(ALL)

#define REDUCE(END)                                           \
  BLOCKING(ENDING(mpi_reduce, END), 8, call_reduce, h)        \
  NONBLOCKING(ENDING(mpi_ireduce, END), 9, call_reduce, h, i) \
  PERSISTENT(ENDING(INIT(reduce), END), 10, call_reduce, i, j)
REDUCE(_)
REDUCE(_f08_)

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
  TIMED(mpi_##LOWER##_f08_, "MPI_" #NAME, ARITY)
#include "calls.h"

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

static int number(const void* argument) { return *(const MPI_Fint*)argument; }

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

#endif
