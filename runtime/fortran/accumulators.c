/* SPDX-License-Identifier: MIT */

/* The accumulators of bracket.f90 over those of the interface for C. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "descriptors.h"

/* The object behind the handle of a `bracket_accumulator` of bracket.f90. */
struct accumulator {
  bracket_accumulator* accumulator;
  int type;
  int locates;
  int structured; /* whether results are structs of 16 bytes: locations and digests */
  int root;       /* -1: every rank gets the result */
};

static _Thread_local char local_words[most_words];

const char* bracket_fortran_local_words(void) {
  static _Thread_local char taken[most_words];
  memcpy(taken, local_words, sizeof taken);
  local_words[0] = '\0';
  return taken;
}

/* Makes an accumulator of elements of the type of `like`. `first` counts from 1. */
int bracket_fortran_accumulator_create(const struct view* like, int op, int64_t first,
                                       const bracket_settings* settings,
                                       struct accumulator** handle) {
  if (*handle != NULL) {
    strcpy(local_words, "the accumulator was created before: call free, or create another");
    return BRACKET_BAD_INPUT;
  }
  if (like->type < 0) {
    snprintf(local_words, most_words, "the elements are %s", bracket_fortran_type_unknown);
    return BRACKET_BAD_INPUT;
  }
  struct accumulator* const made = calloc(1, sizeof *made);
  if (made == NULL) {
    strcpy(local_words, "there is not enough memory");
    return BRACKET_NO_MEMORY;
  }
  made->type = like->type;
  made->locates = op == BRACKET_MINIMUM_LOCATION || op == BRACKET_MAXIMUM_LOCATION;
  made->structured = made->locates || op == BRACKET_DIGEST;
  made->root = settings->rooted ? settings->root : -1;
  const int code =
      bracket_accumulator_create(like->type, op, first - 1, settings, &made->accumulator);
  if (code == BRACKET_OK) {
    *handle = made;
  } else {
    free(made);
  }
  return code;
}

static bracket_accumulator* accumulator_of(const struct accumulator* handle) {
  return handle == NULL ? NULL : handle->accumulator;
}

/* Adds the elements of an array whose dimensions from `dimension` on begin at `place`, the last
 * dimension fastest. */
static int add_from(bracket_accumulator* to, const struct view* view, int dimension,
                    const char* place) {
  if (dimension == view->dimensions || dimension == most_dimensions) {
    return bracket_accumulator_add(to, place, 1);
  }
  const int64_t extent = view->extents[dimension], stride = view->strides[dimension];
  if (dimension + 1 == view->dimensions && stride == view->bytes) {
    return bracket_accumulator_add(to, place, extent);
  }
  int code = BRACKET_OK;
  for (int64_t i = 0; i < extent && code == BRACKET_OK; ++i) {
    code = add_from(to, view, dimension + 1, place + i * stride);
  }
  return code;
}

int bracket_fortran_accumulator_add(struct accumulator* handle, const struct view* elements) {
  if (handle == NULL) return bracket_accumulator_add(NULL, NULL, 0);
  char words[most_words];
  bracket_fortran_problem(elements, "elements", 0, 0, words);
  if (words[0] != '\0') {
    strcpy(local_words, strchr(words, ':') + 2); /* without the field */
    return BRACKET_BAD_INPUT;
  }
  if (elements->type != handle->type) {
    strcpy(local_words, "the elements do not have the type and kind of the accumulator");
    return BRACKET_BAD_INPUT;
  }
  return add_from(handle->accumulator, elements, 0, elements->address);
}

int bracket_fortran_accumulator_add_other(struct accumulator* handle,
                                          const struct accumulator* other) {
  return bracket_accumulator_add_other(accumulator_of(handle), accumulator_of(other));
}

int bracket_fortran_accumulator_count(const struct accumulator* handle, int64_t* count) {
  return bracket_accumulator_count(accumulator_of(handle), count);
}

int bracket_fortran_accumulator_reset(struct accumulator* handle, int64_t first) {
  return bracket_accumulator_reset(accumulator_of(handle), first - 1);
}

/* Whether a variable is no place for the result. */
static int wrong_result(const struct accumulator* handle, const struct view* result) {
  const int another_type =
      handle->structured ? result->type >= 0 || result->bytes != 16 : result->type != handle->type;
  return another_type || result->dimensions > 0;
}

static const char wrong_result_words[] =
    "the result is no single variable of the type and kind of the elements, their location or "
    "digest";

/* Changes the index in the result, so that it counts from 1. */
static void count_from_one(const struct accumulator* handle, void* result) {
  if (handle->locates) ((bracket_located_int64*)result)->index += 1;
}

int bracket_fortran_accumulator_value(struct accumulator* handle, const struct view* result) {
  if (handle == NULL) return bracket_accumulator_value(NULL, result->address);
  if (wrong_result(handle, result)) {
    strcpy(local_words, wrong_result_words);
    return BRACKET_BAD_INPUT;
  }
  const int code = bracket_accumulator_value(handle->accumulator, result->address);
  if (code == BRACKET_OK) count_from_one(handle, result->address);
  return code;
}

int bracket_fortran_accumulator_reduce(struct accumulator* handle, MPI_Fint communicator_number,
                                       const struct view* result) {
  const MPI_Comm communicator = bracket_fortran_communicator(communicator_number);
  if (handle != NULL && wrong_result(handle, result)) {
    return bracket_accumulator_refuse(communicator, wrong_result_words);
  }
  const int code =
      bracket_accumulator_reduce(accumulator_of(handle), communicator, result->address);
  if (code != BRACKET_OK) return code;
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  if (handle->root < 0 || handle->root == rank) count_from_one(handle, result->address);
  return BRACKET_OK;
}

int bracket_fortran_accumulator_free(struct accumulator** handle) {
  if (*handle == NULL) return BRACKET_OK;
  const int code = bracket_accumulator_free(&(*handle)->accumulator);
  free(*handle);
  *handle = NULL;
  return code;
}
