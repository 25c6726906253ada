/* SPDX-License-Identifier: MIT */

#include <dlfcn.h>

#include "fortran.h"
#include "recorder.h"

#ifdef OPEN_MPI

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

#else

/* MPICH's functions for Fortran call MPI's reductions for C, which record. These only note which
   place in the program called. */

#define SITED(FUNCTION, ARITY)               \
  EXPORT void FUNCTION(PARAMETERS_##ARITY) { \
    NEXT(FUNCTION, ARITY);                   \
    fortran_site = SITE;                     \
    next(ARGUMENTS_##ARITY);                 \
    fortran_site = NULL;                     \
  }

#define VARIANTS(LOWER, ARITY) \
  SITED(mpi_##LOWER##_, ARITY) \
  SITED(mpi_##LOWER##_f08ts_, ARITY)

/* Blocking calls have a last argument for the error, the others also one for the request, and
   persistent ones also one for the info. */
#define ALL(LOWER, CALL) \
  VARIANTS(LOWER, 7)     \
  VARIANTS(i##LOWER, 8)  \
  VARIANTS(LOWER##_init, 9)
FORTRAN_REDUCTIONS(ALL)
VARIANTS(reduce, 8)
VARIANTS(ireduce, 9)
VARIANTS(reduce_init, 10)

#endif
