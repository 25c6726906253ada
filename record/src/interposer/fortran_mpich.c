#include "recorder.h"

#ifndef OPEN_MPI

#include "fortran.h"

/* MPICH's functions for Fortran call those for C, which record. These only note which place in the
   program called. */

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
