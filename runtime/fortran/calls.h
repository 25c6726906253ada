/* SPDX-License-Identifier: MIT */

#ifndef CALLS_H
#define CALLS_H

/* What the reducers and the accumulators share. */

#include <mpi.h>

/* The communicator with this number; MPI_COMM_NULL before MPI_Init and after MPI_Finalize. */
MPI_Comm bracket_fortran_communicator(MPI_Fint number);

/* The message of an accumulator that the interface for C did not see; "" without one. Forgets it.
 */
const char* bracket_fortran_local_words(void);

#endif
