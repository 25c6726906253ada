/* SPDX-License-Identifier: MIT */

#include <pthread.h>
#include <stdlib.h>

#include "reproducible.h"

static int key = MPI_KEYVAL_INVALID;
static pthread_once_t key_made = PTHREAD_ONCE_INIT;

static int forget(MPI_Comm comm, int keyval, void* value, void* extra) {
  (void)keyval, (void)extra;
  struct communicator* const communicator = value;
  /* MPI_COMM_WORLD ends in MPI_Finalize, where no communicator can be freed. */
  if (comm != MPI_COMM_WORLD && communicator->comm != MPI_COMM_NULL)
    PMPI_Comm_free(&communicator->comm);
  free(communicator);
  return MPI_SUCCESS;
}

static void make_key(void) { PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key, NULL); }

/* MPI_Comm_dup would call the copy functions of the application's attributes. */
static int duplicate(MPI_Comm comm, MPI_Comm* copy) {
  MPI_Group group;
  int code = PMPI_Comm_group(comm, &group);
  if (code != MPI_SUCCESS) return code;
  code = PMPI_Comm_create(comm, group, copy);
  PMPI_Group_free(&group);
  if (code == MPI_SUCCESS) code = PMPI_Comm_set_errhandler(*copy, MPI_ERRORS_RETURN);
  return code;
}

const struct communicator* communicator_of(MPI_Comm comm, int* code) {
  pthread_once(&key_made, make_key);
  void* value = NULL;
  int has = 0;
  *code = MPI_SUCCESS;
  if (PMPI_Comm_get_attr(comm, key, &value, &has) != MPI_SUCCESS) return NULL;
  if (has) return value;
  struct communicator* const communicator = malloc(sizeof *communicator);
  if (communicator == NULL) abort();
  *communicator = (struct communicator){.comm = MPI_COMM_NULL};
  int inter = 0;
  PMPI_Comm_test_inter(comm, &inter);
  communicator->inter = inter != 0;
  PMPI_Comm_rank(comm, &communicator->rank);
  PMPI_Comm_size(comm, &communicator->size);
  if (!communicator->inter && communicator->size > 1) *code = duplicate(comm, &communicator->comm);
  if (*code == MPI_SUCCESS) *code = PMPI_Comm_set_attr(comm, key, communicator);
  if (*code == MPI_SUCCESS) return communicator;
  free(communicator);
  return NULL;
}
