/* Plan files for the module `bracket`. */

#include <bracket.h>

/* Frees what *planned was before. Otherwise as bracket_planned_read. */
int bracket_fortran_planned_read(MPI_Fint communicator, const char* path, int64_t elements,
                                 bracket_planned** planned) {
  bracket_planned_free(planned);
  int begun = 0, ended = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  /* Before MPI_Init the number has no meaning. */
  return bracket_planned_read(begun && !ended ? MPI_Comm_f2c(communicator) : MPI_COMM_NULL, path,
                              elements, planned);
}
