/* SPDX-License-Identifier: MIT */

#include "recorder.h"

#define CALL(NAME, LOWER, ARITY, PARAMETERS, ARGUMENTS)     \
  EXPORT int MPI_##NAME PARAMETERS {                        \
    static struct other_name name = {.name = "MPI_" #NAME}; \
    int64_t entry = 0;                                      \
    const bool timed = other_begin(&entry);                 \
    const int code = PMPI_##NAME ARGUMENTS;                 \
    if (timed) other_end(&name, entry);                     \
    return code;                                            \
  }
#include "calls.h"

#define COMM(PARAMETER) PARAMETER
#define GROUP(PARAMETER) PARAMETER
#define INTEGER(PARAMETER) PARAMETER
#define CREATION(NAME, LOWER, ARITY, PARAMETERS, ARGUMENTS, MADE, ORIGIN)   \
  EXPORT int MPI_##NAME PARAMETERS {                                        \
    static struct other_name name = {.name = "MPI_" #NAME};                 \
    int64_t entry = 0;                                                      \
    const bool timed = other_begin(&entry);                                 \
    struct creation creation = {.known = false};                            \
    if (timed) creation = ORIGIN;                                           \
    const int code = PMPI_##NAME ARGUMENTS;                                 \
    if (timed) {                                                            \
      creation_end(&creation, code == MPI_SUCCESS ? *MADE : MPI_COMM_NULL); \
      other_end(&name, entry);                                              \
    }                                                                       \
    return code;                                                            \
  }
#include "creations.h"
