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
