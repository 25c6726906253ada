/* SPDX-License-Identifier: MIT */

/* Plan files for the module `bracket`. */

#include <bracket.h>

#include "calls.h"

/* Frees what *planned was before. Otherwise as bracket_planned_read. */
int bracket_fortran_planned_read(MPI_Fint communicator, const char* path, int64_t elements,
                                 bracket_planned** planned) {
  bracket_planned_free(planned);
  return bracket_planned_read(bracket_fortran_communicator(communicator), path, elements, planned);
}
