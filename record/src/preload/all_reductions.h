/* SPDX-License-Identifier: MIT */

/* All reductions. Define BLOCKING, NONBLOCKING and PERSISTENT(NAME, CALL, COUNT, FIELD, ROOT)
   before this file is included: the function's name, its enum call, the parameter that counts, its
   member of struct arguments, and `root` or `no_root`. */

#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

/* The parameters of all reductions are the same but for the type of the count and, in MPI_Reduce,
   the root. */
#define PARAMETER_root int root,
#define ARGUMENT_root root,
#define VALUE_root root
#define PARAMETER_no_root
#define ARGUMENT_no_root
#define VALUE_no_root -1

/* The struct arguments of a call. */
#define ARGUMENTS(CALL, FIELD, ROOT, FLAGS, WHERE)                                                \
  {                                                                                               \
    .call = CALL, .flags = FLAGS, .send = send, .receive = receive, .FIELD = count, .type = type, \
    .op = op, .root = VALUE_##ROOT, .comm = comm, .site = WHERE                                   \
  }

#define ALL_CALLS(ACTION, COUNT, COUNTS, LARGE)                                               \
  ACTION(Allreduce, allreduce, call_allreduce, COUNT, count, no_root)                         \
  ACTION(Reduce, reduce, call_reduce, COUNT, count, root)                                     \
  ACTION(Reduce_scatter, reduce_scatter, call_reduce_scatter, COUNTS, LARGE##counts, no_root) \
  ACTION(Reduce_scatter_block, reduce_scatter_block, call_reduce_scatter_block, COUNT, count, \
         no_root)                                                                             \
  ACTION(Scan, scan, call_scan, COUNT, count, no_root)                                        \
  ACTION(Exscan, exscan, call_exscan, COUNT, count, no_root)

#define USUAL(NAME, LOWER, ...)     \
  BLOCKING(MPI_##NAME, __VA_ARGS__) \
  NONBLOCKING(MPI_I##LOWER, __VA_ARGS__)
ALL_CALLS(USUAL, int count, const int count[], )

#if MPI_VERSION >= 4
#define USUAL_INIT(NAME, LOWER, ...) PERSISTENT(MPI_##NAME##_init, __VA_ARGS__)
#define LARGE(NAME, LOWER, ...)              \
  BLOCKING(MPI_##NAME##_c, __VA_ARGS__)      \
  NONBLOCKING(MPI_I##LOWER##_c, __VA_ARGS__) \
  PERSISTENT(MPI_##NAME##_init_c, __VA_ARGS__)
ALL_CALLS(USUAL_INIT, int count, const int count[], )
ALL_CALLS(LARGE, MPI_Count count, const MPI_Count count[], large_)
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define EXTENSION_INIT(NAME, LOWER, ...) PERSISTENT(MPIX_##NAME##_init, __VA_ARGS__)
ALL_CALLS(EXTENSION_INIT, int count, const int count[], )
#endif
