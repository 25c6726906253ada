/* SPDX-License-Identifier: MIT */

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "reproducible.h"

/* Fortran's functions call MPI_ functions (MPICH) or PMPI_ functions (Open MPI) for C, and so do
   other preloaded tools. So this library defines both. */

/* Says once that a kind of reductions is left to the MPI library. */
static void say(bool* said, MPI_Comm comm, const char* what) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  if (!*said && rank == 0) {
    fprintf(stderr, "bracket: the order of %s is left to the MPI library\n", what);
  }
  *said = true;
}

/* Whether the order matters and can be executed. Says so if it matters and cannot. */
static bool can_execute(const struct arguments* arguments, struct operation* operation) {
  static bool operators_said, types_said;
  refuse_foreign_library("libbracket_reproducible.so");
  if (IS_NULL(arguments->comm, MPI_COMM_NULL) || IS_NULL(arguments->op, MPI_OP_NULL) ||
      IS_NULL(arguments->type, MPI_DATATYPE_NULL)) {
    return false;
  }
  switch (operation_of(arguments->type, arguments->op, operation)) {
    case order_executed:
      return true;
    case operator_unknown:
      say(&operators_said, arguments->comm, "reductions by operators of the program");
      return false;
    case type_unknown:
      say(&types_said, arguments->comm, "sums of other types than real and complex numbers");
      return false;
    default:
      return false;
  }
}

/* Executes a reduction and puts its error code into `code`, or returns false: the MPI library must
   execute it. `said` belongs to the function `name`. */
static bool executed(const struct arguments* arguments, const char* name, bool* said, int* code) {
  static bool inter_said, twice_said;
  struct operation operation;
  if (!can_execute(arguments, &operation)) return false;
  if (arguments->flags != 0 || arguments->call == call_scan || arguments->call == call_exscan) {
    say(said, arguments->comm, name);
    return false;
  }
  const struct communicator* const communicator = communicator_of(arguments->comm, code);
  if (communicator == NULL) return *code != MPI_SUCCESS;
  if (communicator->inter) {
    say(&inter_said, arguments->comm, "reductions on intercommunicators");
    return false;
  }
  /* MPI itself refuses wrong arguments. */
  if (!are_valid(arguments, communicator->rank, communicator->size) ||
      all_items(arguments, communicator->size) == 0) {
    return false;
  }
  if (arguments->send == arguments->receive) {
    say(&twice_said, arguments->comm, "reductions with one buffer for input and output");
    return false;
  }
  *code = reduce_in_tree_order(arguments, &operation, communicator);
  if (*code != MPI_SUCCESS) PMPI_Comm_call_errhandler(arguments->comm, *code);
  return true;
}

/* Puts the function of a tool that comes between this library and MPI into `*(void **)function`.
   Such a tool calls this library by a PMPI_ name. In MPI itself, both names are in one file. */
static bool find_tool(void* function, const char* name, const char* profiled) {
  Dl_info tool;
  Dl_info library;
  void* next;
  void* last;
  find_next(&next, name);
  find_next(&last, profiled);
  const bool between = dladdr(next, &tool) != 0 && dladdr(last, &library) != 0 &&
                       tool.dli_fbase != library.dli_fbase;
  if (between) find_next(function, name);
  return true;
}

/* PARAMETERS and VALUES are those of a reduction, CALL its struct arguments. */
#define INTERPOSED(NAME, PARAMETERS, VALUES, CALL)                            \
  EXPORT int P##NAME PARAMETERS {                                             \
    static int(*library) PARAMETERS;                                          \
    static bool said;                                                         \
    if (library == NULL) find_next((void*)&library, "P" #NAME);               \
    const struct arguments arguments = CALL;                                  \
    int code = MPI_SUCCESS;                                                   \
    return executed(&arguments, #NAME, &said, &code) ? code : library VALUES; \
  }                                                                           \
  EXPORT int NAME PARAMETERS {                                                \
    static int(*tool) PARAMETERS;                                             \
    static bool searched;                                                     \
    if (!searched) searched = find_tool((void*)&tool, #NAME, "P" #NAME);      \
    return tool != NULL ? tool VALUES : P##NAME VALUES;                       \
  }

#define BLOCKING(NAME, CALL, COUNT, FIELD, ROOT)                                    \
  INTERPOSED(NAME,                                                                  \
             (const void* send, void* receive, COUNT, MPI_Datatype type, MPI_Op op, \
              PARAMETER_##ROOT MPI_Comm comm),                                      \
             (send, receive, count, type, op, ARGUMENT_##ROOT comm),                \
             ARGUMENTS(CALL, FIELD, ROOT, 0, NULL))

#define NONBLOCKING(NAME, CALL, COUNT, FIELD, ROOT)                                 \
  INTERPOSED(NAME,                                                                  \
             (const void* send, void* receive, COUNT, MPI_Datatype type, MPI_Op op, \
              PARAMETER_##ROOT MPI_Comm comm, MPI_Request* request),                \
             (send, receive, count, type, op, ARGUMENT_##ROOT comm, request),       \
             ARGUMENTS(CALL, FIELD, ROOT, flag_nonblocking, NULL))

#define PERSISTENT(NAME, CALL, COUNT, FIELD, ROOT)                                  \
  INTERPOSED(NAME,                                                                  \
             (const void* send, void* receive, COUNT, MPI_Datatype type, MPI_Op op, \
              PARAMETER_##ROOT MPI_Comm comm, MPI_Info info, MPI_Request* request), \
             (send, receive, count, type, op, ARGUMENT_##ROOT comm, info, request), \
             ARGUMENTS(CALL, FIELD, ROOT, flag_persistent, NULL))

#include "preload/all_reductions.h"
