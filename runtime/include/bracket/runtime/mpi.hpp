// SPDX-License-Identifier: MIT

#pragma once

// Without the C++ interface that MPI 3 removed: it takes most of the time to compile mpi.h. A
// program that still uses it includes mpi.h first.
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1  // Open MPI
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1  // MPICH and its relatives
#endif
#include <mpi.h>
