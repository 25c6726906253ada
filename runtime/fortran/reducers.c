/* SPDX-License-Identifier: MIT */

/* The reducers of bracket.f90 over those of the interface for C. */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "calls.h"
#include "descriptors.h"

/* A field. Has the layout of `c_field` in interface.f90. */
struct field {
  struct view elements;
  struct view factors;
  int has_factors;
  int boundary_count; /* of the distribution; -1: none */
  const int64_t* boundaries;
  int op; /* 0: the reducer's */
  int by_function;
  /* Makes the elements in place of an array. Counts them from 1. */
  bracket_make_elements* make;
  const void* context;
};

/* The object behind the handle of a `bracket_reducer` of bracket.f90. */
struct reducer {
  bracket_reducer* reducer;
  int type;
  int op;
  int locates;
  int structured; /* whether results are structs of 16 bytes: locations and digests */
  int delivers;
  char* results; /* of the run under way, if they are locations */
  int64_t count;
  struct field fields[]; /* as at the latest run */
};

/* Locations of all types have the same layout except for the value: `deliver` relies on it. */
#define CHECK_LOCATED(type) \
  _Static_assert(sizeof(type) == 16 && offsetof(type, index) == 8, "another layout of " #type)
CHECK_LOCATED(bracket_located_int32);
CHECK_LOCATED(bracket_located_int64);
CHECK_LOCATED(bracket_located_float32);
CHECK_LOCATED(bracket_located_float64);

static bracket_layout layout_of(const struct view* view) {
  const bracket_layout layout = {view->dimensions, view->extents, NULL, NULL, view->strides};
  return layout;
}

/* Whether the elements of two arrays have one type. */
static int is_like(const struct view* one, const struct view* other) {
  return one->type == other->type && one->bytes == other->bytes;
}

static const char* const no_function = "field %lld: no function: give the c_funloc of one";

static int has_no_function(const struct field* field) {
  return field->by_function && field->make == NULL;
}

/* Writes the first problem of the fields of a new reducer to `words`; "" without a problem. `own`:
 * the reducer has an operator of the program, for elements of any type. */
static void check_fields(MPI_Comm communicator, const struct field* fields, int64_t count, int own,
                         char words[most_words]) {
  words[0] = '\0';
  for (int64_t k = 0; k < count && words[0] == '\0'; ++k) {
    const struct field* field = &fields[k];
    bracket_fortran_problem(&field->elements, "elements", k, own, words);
    if (words[0] == '\0' && field->has_factors) {
      bracket_fortran_problem(&field->factors, "factors", k, own, words);
    }
    if (words[0] != '\0') return;
    if (!is_like(&field->elements, &fields[0].elements) ||
        (field->has_factors && !is_like(&field->factors, &fields[0].elements))) {
      snprintf(words, most_words, "field %lld: all arrays of a reducer must have one type and kind",
               (long long)k);
    } else if (has_no_function(field)) {
      snprintf(words, most_words, no_function, (long long)k);
    } else if (field->boundary_count >= 0) {
      int ranks = 0;
      MPI_Comm_size(communicator, &ranks);
      if (field->boundary_count == ranks + 1) continue;
      snprintf(words, most_words, "field %lld: a distribution of %d boundaries: %d ranks have %d",
               (long long)k, field->boundary_count, ranks, ranks + 1);
    }
  }
}

static int mpi_runs(void) {
  int begun = 0, ended = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  return begun && !ended;
}

MPI_Comm bracket_fortran_communicator(MPI_Fint number) {
  return mpi_runs() ? MPI_Comm_f2c(number) : MPI_COMM_NULL;
}

/* Makes the reducer of *handle, which must be NULL, by the operator `op` or, if `join` is not NULL,
 * by this one of the program. Otherwise as bracket_reducer_create and bracket_reducer_create_own.
 */
int bracket_fortran_create(MPI_Fint communicator_number, int op, bracket_join* join, void* context,
                           const struct field* fields, int64_t count,
                           const bracket_settings* settings, struct reducer** handle) {
  const MPI_Comm communicator = bracket_fortran_communicator(communicator_number);
  char words[most_words] = "";
  struct reducer* made = NULL;
  bracket_field* described = NULL;
  bracket_layout* factors = NULL;
  /* Without a communicator there are no ranks to agree with: the interface for C reports it. */
  if (communicator != MPI_COMM_NULL) {
    if (*handle != NULL) {
      strcpy(words, "the reducer was created before: call free, or create another");
    } else {
      check_fields(communicator, fields, count, join != NULL, words);
    }
    const size_t number = (size_t)count;
    made = calloc(1, sizeof *made + number * sizeof *fields);
    described = calloc(number + 1, sizeof *described);
    factors = calloc(number + 1, sizeof *factors);
    if (words[0] == '\0' && (made == NULL || described == NULL || factors == NULL)) {
      strcpy(words, "there is not enough memory");
    }
  }
  int code = BRACKET_OK;
  if (words[0] != '\0') {
    code = bracket_reducer_refuse_create(communicator, words);
  } else if (made == NULL) {
    bracket_reducer* none = NULL;
    code = bracket_reducer_create(communicator, BRACKET_FLOAT64, op, NULL, count, settings, &none);
  } else {
    made->count = count;
    made->op = op;
    made->type = count > 0 ? fields[0].elements.type : BRACKET_FLOAT64;
    made->structured = op >= BRACKET_MINIMUM_LOCATION;
    made->locates = op == BRACKET_MINIMUM_LOCATION || op == BRACKET_MAXIMUM_LOCATION;
    for (int64_t k = 0; k < count; ++k) {
      made->fields[k] = fields[k];
      made->fields[k].boundaries = NULL;
      described[k].elements = layout_of(&fields[k].elements);
      factors[k] = layout_of(&fields[k].factors);
      described[k].factors = fields[k].has_factors ? &factors[k] : NULL;
      described[k].distribution = fields[k].boundary_count >= 0 ? fields[k].boundaries : NULL;
      described[k].op = fields[k].op;
    }
    code = join != NULL
               ? bracket_reducer_create_own(communicator, fields[0].elements.bytes, join, context,
                                            described, count, settings, &made->reducer)
               : bracket_reducer_create(communicator, made->type, op, described, count, settings,
                                        &made->reducer);
    if (code == BRACKET_OK) code = bracket_reducer_delivers(made->reducer, &made->delivers);
  }
  free(described);
  free(factors);
  if (code == BRACKET_OK) {
    *handle = made;
  } else {
    free(made);
  }
  return code;
}

/* Whether an array of the same shape has other strides. */
static int has_moved(const struct view* before, const struct view* now) {
  return memcmp(before->strides, now->strides, sizeof now->strides) != 0;
}

/* Writes to `words` if an array does not have the shape of the one before it. */
static void check_shape(const struct view* before, const struct view* now, const char* name,
                        int64_t field, char words[most_words]) {
  if (before->dimensions != now->dimensions ||
      memcmp(before->extents, now->extents, sizeof now->extents) != 0) {
    snprintf(words, most_words,
             "field %lld: the array of %s does not have the shape that the reducer was made for",
             (long long)field, name);
  }
}

/* Gives the reducer the new layout of a field's arrays, if it has changed. */
static int move(struct reducer* handle, int64_t k, const struct field* given) {
  struct field* const before = &handle->fields[k];
  if (given->make != NULL) return BRACKET_OK;
  if (!has_moved(&before->elements, &given->elements) &&
      !(given->has_factors && has_moved(&before->factors, &given->factors))) {
    return BRACKET_OK;
  }
  const bracket_layout elements = layout_of(&given->elements);
  const bracket_layout factors = layout_of(&given->factors);
  const int code =
      bracket_reducer_move(handle->reducer, k, &elements, given->has_factors ? &factors : NULL);
  if (code == BRACKET_OK) *before = *given;
  return code;
}

static int operator_of(const struct reducer* handle, int64_t field) {
  const int own = handle->fields[field].op;
  return own != 0 ? own : handle->op;
}

/* Writes the first problem of a run's arrays to `words`; "" without a problem. */
static void check_run(const struct reducer* handle, const struct field* fields, int64_t count,
                      const struct view* results, char words[most_words]) {
  words[0] = '\0';
  if (count != handle->count) {
    snprintf(words, most_words, "%lld field(s) given, the reducer has %lld", (long long)count,
             (long long)handle->count);
  }
  for (int64_t k = 0; k < count && words[0] == '\0'; ++k) {
    const struct field* field = &fields[k];
    if (!is_like(&field->elements, &handle->fields[k].elements) ||
        (field->has_factors && !is_like(&field->factors, &handle->fields[k].elements))) {
      snprintf(words, most_words, "field %lld: the reducer has another type and kind",
               (long long)k);
    } else if (has_no_function(field)) {
      snprintf(words, most_words, no_function, (long long)k);
    } else if (field->op != 0 && field->op != operator_of(handle, k)) {
      snprintf(words, most_words, "field %lld: another operator than the reducer was made with",
               (long long)k);
    } else if (field->has_factors != handle->fields[k].has_factors) {
      snprintf(words, most_words, "field %lld: %s", (long long)k,
               field->has_factors ? "factors for a field that is not of products" : "no factors");
    } else {
      const struct field* const before = &handle->fields[k];
      check_shape(&before->elements, &field->elements, "elements", k, words);
      if (field->has_factors) {
        check_shape(&before->factors, &field->factors, "factors", k, words);
      }
    }
  }
  if (words[0] != '\0' || !handle->delivers) return;
  int64_t room = 1;
  for (int i = 0; i < results->dimensions && i < most_dimensions; ++i) room *= results->extents[i];
  if (results->dimensions > 1 || room < handle->count ||
      (results->dimensions == 1 && room > 1 && results->strides[0] != results->bytes)) {
    snprintf(words, most_words, "the results need a contiguous list of %lld",
             (long long)handle->count);
  } else if (handle->structured ? results->type >= 0 || results->bytes != 16
                                : !is_like(results, &handle->fields[0].elements)) {
    snprintf(words, most_words, "the result does not have the type and kind of the elements%s",
             handle->locates      ? "' location"
             : handle->structured ? "' digest"
                                  : "");
  }
}

/* Changes the indices in the results of a complete run, so that they count from 1. */
static void deliver(struct reducer* handle) {
  if (handle->results == NULL) return;
  for (int64_t k = 0; k < handle->count; ++k) {
    ((bracket_located_int64*)(void*)handle->results)[k].index += 1;
  }
  handle->results = NULL;
}

/* `bracket_make_elements` of a field whose function counts from 1. */
static void make_from_one(const void* context, int64_t first, int64_t count, void* into) {
  const struct field* const field = context;
  field->make(field->context, first + 1, count, into);
}

/* Begins a run as bracket_reducer_start does, but arrays may have other strides than before. */
int bracket_fortran_start(struct reducer* handle, const struct field* fields, int64_t count,
                          const struct view* results) {
  if (handle == NULL) return bracket_reducer_start(NULL, NULL, NULL);
  char words[most_words];
  check_run(handle, fields, count, results, words);
  if (words[0] != '\0') return bracket_reducer_refuse(handle->reducer, words);
  bracket_arrays* const arrays = calloc((size_t)count, sizeof *arrays);
  if (arrays == NULL) {
    return bracket_reducer_refuse(handle->reducer, "there is not enough memory");
  }
  int code = BRACKET_OK;
  for (int64_t k = 0; k < count && code == BRACKET_OK; ++k) {
    code = move(handle, k, &fields[k]);
    arrays[k].elements = fields[k].elements.address;
    arrays[k].factors = fields[k].has_factors ? fields[k].factors.address : NULL;
    if (fields[k].make == NULL) continue;
    /* In the handle, it exists as long as the run. */
    handle->fields[k].make = fields[k].make;
    handle->fields[k].context = fields[k].context;
    arrays[k].elements = &handle->fields[k];
    arrays[k].make = make_from_one;
  }
  void* const place = handle->delivers ? results->address : NULL;
  if (code == BRACKET_OK) code = bracket_reducer_start(handle->reducer, arrays, place);
  if (code == BRACKET_OK && handle->locates) handle->results = place;
  free(arrays);
  return code;
}

int bracket_fortran_test(struct reducer* handle, int* complete) {
  *complete = 0;
  const int code = bracket_reducer_test(handle == NULL ? NULL : handle->reducer, complete);
  if (code == BRACKET_OK && *complete) deliver(handle);
  return code;
}

int bracket_fortran_wait(struct reducer* handle) {
  const int code = bracket_reducer_wait(handle == NULL ? NULL : handle->reducer);
  if (code == BRACKET_OK) deliver(handle);
  return code;
}

/* The reducer of the interface for C, for functions that need no translation. */
bracket_reducer* bracket_fortran_reducer(const struct reducer* handle) {
  return handle == NULL ? NULL : handle->reducer;
}

int bracket_fortran_free(struct reducer** handle) {
  if (*handle == NULL) return BRACKET_OK;
  const int code = bracket_reducer_free(&(*handle)->reducer);
  if (code != BRACKET_OK) return code;
  free(*handle);
  *handle = NULL;
  return code;
}

/* The message of the latest failure, with fields counted from 1. */
const char* bracket_fortran_message(void) {
  static _Thread_local char shown[4096];
  static const char field[] = "field ";
  const char* const local = bracket_fortran_local_words();
  const char* from = *local != '\0' ? local : bracket_message();
  char* to = shown;
  char* const end = shown + sizeof shown - 32; /* room for a number */
  while (*from != '\0' && to < end) {
    if (strncmp(from, field, strlen(field)) != 0 || !isdigit((unsigned char)from[strlen(field)])) {
      *to++ = *from++;
      continue;
    }
    char* rest = NULL;
    const long long number = strtoll(from + strlen(field), &rest, 10);
    to += sprintf(to, "%s%lld", field, number + 1);
    from = rest;
  }
  *to = '\0';
  return shown;
}

/* Ends the program on all ranks with code 2, the code for bad input. */
void bracket_fortran_abort(void) {
  if (mpi_runs()) {
    /* MPICH's launcher drops output that it has not read before MPI_Abort. */
    const struct timespec moment = {0, 100000000};
    nanosleep(&moment, NULL);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  exit(2);
}
