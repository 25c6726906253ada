/* What bracket.f90 calls: array descriptors become layouts of the interface for C, whose last
 * dimension is Fortran's first, and positions that count from 1 become indices that count from 0.
 */

#include <ISO_Fortran_binding.h>
#include <bracket.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { most_dimensions = 5, most_words = 200 };

/* What is wrong with an array, said when it is used. */
enum problem {
  no_problem = 0,
  type_unknown = 1,
  too_many_dimensions = 2,
  bad_lower = 3,
  bad_upper = 4,
  bad_range = 5
};

/* An array, its dimensions in C's order; as `array_view` of bracket.f90. */
struct view {
  void* address;
  int64_t bytes; /* of an element */
  int type;      /* of enum bracket_type, or -1 for any other */
  int problem;
  int dimensions;
  int ranged;          /* whether an index range was given */
  int wrong_dimension; /* of those below, with bad_range */
  int64_t extents[most_dimensions];
  int64_t begin[most_dimensions];
  int64_t end[most_dimensions];
  int64_t strides[most_dimensions];
};

/* As `c_field` of bracket.f90. */
struct field {
  struct view elements;
  struct view factors;
  int has_factors;
  int boundary_count; /* of the distribution; -1: none */
  const int64_t* boundaries;
};

/* What the handle of a `bracket_reducer` of bracket.f90 points to. */
struct reducer {
  bracket_reducer* reducer;
  int type;
  int locates;
  int delivers;
  char* results; /* of the run under way, if they are locations */
  int64_t count;
  struct field fields[]; /* where they lay at the latest run */
};

static int type_of(const CFI_cdesc_t* array) {
  switch (array->type) {
    case CFI_type_int32_t:
      return BRACKET_INT32;
    case CFI_type_int64_t:
      return BRACKET_INT64;
    case CFI_type_float:
      return BRACKET_FLOAT32;
    case CFI_type_double:
      return BRACKET_FLOAT64;
    case CFI_type_float_Complex:
      return BRACKET_COMPLEX64;
    case CFI_type_double_Complex:
      return BRACKET_COMPLEX128;
    default:
      return -1;
  }
}

/* Copies a list of positions, one for each dimension, in C's order. Whether it is one. */
static int read_positions(const CFI_cdesc_t* list, int count, int64_t* positions) {
  const int narrow = list->type == CFI_type_int32_t;
  if (list->rank != 1 || list->dim[0].extent != count) return 0;
  if (!narrow && list->type != CFI_type_int64_t) return 0;
  for (int i = 0; i < count; ++i) {
    const char* const place = (const char*)list->base_addr + i * list->dim[0].sm;
    positions[count - 1 - i] = narrow ? *(const int32_t*)place : *(const int64_t*)place;
  }
  return 1;
}

/* Describes an array, of which `lower` to `upper` are meant in each dimension, those included, from
 * 1 on; NULL: from the first, or to the last. Nothing fails: what is wrong is noted. */
void bracket_fortran_view(const CFI_cdesc_t* array, const CFI_cdesc_t* lower,
                          const CFI_cdesc_t* upper, struct view* view) {
  memset(view, 0, sizeof *view);
  view->address = array->base_addr;
  view->bytes = (int64_t)array->elem_len;
  view->type = type_of(array);
  view->dimensions = array->rank;
  if (array->rank > most_dimensions) {
    view->problem = too_many_dimensions;
    return;
  }
  view->ranged = lower != NULL || upper != NULL;
  for (int i = 0; i < array->rank; ++i) {
    const int place = array->rank - 1 - i;
    view->extents[place] = view->end[place] = array->dim[i].extent;
    view->strides[place] = array->dim[i].sm;
  }
  int64_t first[most_dimensions] = {1, 1, 1, 1, 1};
  if (lower != NULL && !read_positions(lower, array->rank, first)) view->problem = bad_lower;
  if (upper != NULL && !read_positions(upper, array->rank, view->end)) view->problem = bad_upper;
  for (int i = 0; i < array->rank && view->problem == no_problem; ++i) {
    /* A range that ends before it begins is empty, wherever that is. */
    if (first[i] > view->end[i]) first[i] = 1, view->end[i] = 0;
    if (first[i] < 1 || view->end[i] > view->extents[i]) {
      view->problem = bad_range;
      view->wrong_dimension = i;
    }
    view->begin[i] = first[i] - 1;
  }
}

/* Says what is wrong with an array; "" if nothing is. */
static void describe_problem(const struct view* view, const char* name, int64_t field,
                             char words[most_words]) {
  const char* what = NULL;
  words[0] = '\0';
  switch (view->problem) {
    case too_many_dimensions:
      snprintf(words, most_words, "field %lld: %s of rank %d: there may be 0 to %d",
               (long long)field, name, view->dimensions, most_dimensions);
      return;
    case bad_lower:
      what = "lower is not a list of as many integers as the array has dimensions";
      break;
    case bad_upper:
      what = "upper is not a list of as many integers as the array has dimensions";
      break;
    case bad_range: {
      const int i = view->wrong_dimension;
      snprintf(words, most_words,
               "field %lld: %s: dimension %d: the index range %lld:%lld lies outside of the "
               "array's 1:%lld",
               (long long)field, name, view->dimensions - i, (long long)view->begin[i] + 1,
               (long long)view->end[i], (long long)view->extents[i]);
      return;
    }
    default:
      if (view->type < 0) {
        what = "neither integer, real nor complex of kinds int32, int64, real32 or real64";
      }
  }
  if (what != NULL) {
    snprintf(words, most_words, "field %lld: %s: %s", (long long)field, name, what);
  }
}

static bracket_layout layout_of(const struct view* view) {
  const bracket_layout layout = {view->dimensions, view->extents, view->begin, view->end,
                                 view->strides};
  return layout;
}

/* Says what is wrong with the fields of a reducer that is to be made. */
static void check_fields(MPI_Comm communicator, const struct field* fields, int64_t count,
                         char words[most_words]) {
  int ranks = 0;
  MPI_Comm_size(communicator, &ranks);
  words[0] = '\0';
  for (int64_t k = 0; k < count && words[0] == '\0'; ++k) {
    const struct field* field = &fields[k];
    describe_problem(&field->elements, "elements", k + 1, words);
    if (words[0] == '\0' && field->has_factors) {
      describe_problem(&field->factors, "factors", k + 1, words);
    }
    if (words[0] != '\0') return;
    if (field->elements.type != fields[0].elements.type ||
        (field->has_factors && field->factors.type != fields[0].elements.type)) {
      snprintf(words, most_words, "field %lld: all arrays of a reducer are of one type and kind",
               (long long)(k + 1));
    } else if (field->boundary_count >= 0 && field->boundary_count != ranks + 1) {
      snprintf(words, most_words, "field %lld: a distribution of %d boundaries: %d ranks have %d",
               (long long)(k + 1), field->boundary_count, ranks, ranks + 1);
    }
  }
}

static int is_communicator(MPI_Comm communicator) {
  int begun = 0, ended = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  return begun && !ended && communicator != MPI_COMM_NULL;
}

/* Makes the reducer of *handle; as bracket_reducer_create. */
int bracket_fortran_create(MPI_Fint communicator_number, int op, const struct field* fields,
                           int64_t count, const bracket_settings* settings,
                           struct reducer** handle) {
  *handle = NULL;
  const MPI_Comm communicator = MPI_Comm_f2c(communicator_number);
  char words[most_words] = "";
  struct reducer* made = NULL;
  bracket_field* described = NULL;
  bracket_layout* factors = NULL;
  /* Without a communicator there is nobody to agree with: C says what is wrong. */
  if (is_communicator(communicator)) {
    check_fields(communicator, fields, count, words);
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
    code = bracket_reducer_create(communicator, 0, op, NULL, count, settings, &none);
  } else {
    made->count = count;
    made->type = count > 0 ? fields[0].elements.type : BRACKET_FLOAT64;
    made->locates = op == BRACKET_MINIMUM_LOCATION || op == BRACKET_MAXIMUM_LOCATION;
    for (int64_t k = 0; k < count; ++k) {
      made->fields[k] = fields[k];
      made->fields[k].boundaries = NULL;
      described[k].elements = layout_of(&fields[k].elements);
      factors[k] = layout_of(&fields[k].factors);
      described[k].factors = fields[k].has_factors ? &factors[k] : NULL;
      described[k].distribution = fields[k].boundary_count >= 0 ? fields[k].boundaries : NULL;
    }
    code = bracket_reducer_create(communicator, made->type, op, described, count, settings,
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

/* Gives `now` the index range of `before`, and says whether it lies otherwise. */
static int has_moved(const struct view* before, struct view* now) {
  if (before->ranged && before->dimensions == now->dimensions) {
    memcpy(now->begin, before->begin, sizeof now->begin);
    memcpy(now->end, before->end, sizeof now->end);
    now->ranged = 1;
  }
  return before->dimensions != now->dimensions ||
         memcmp(before->extents, now->extents, sizeof now->extents) != 0 ||
         memcmp(before->strides, now->strides, sizeof now->strides) != 0;
}

/* Says what is wrong with an array that is to take another's place. */
static void check_shape(const struct view* before, const struct view* now, const char* name,
                        int64_t field, char words[most_words]) {
  int alike = before->dimensions == now->dimensions;
  for (int i = 0; i < before->dimensions && alike; ++i) {
    alike =
        before->ranged ? before->end[i] <= now->extents[i] : before->extents[i] == now->extents[i];
  }
  if (!alike) {
    snprintf(words, most_words,
             "field %lld: the array of %s has not the shape that the reducer was made for",
             (long long)field, name);
  }
}

/* Lets a field's arrays lie where they now do. */
static int move(struct reducer* handle, int64_t k, const struct field* given) {
  struct field now = *given;
  struct field* const before = &handle->fields[k];
  int moved = has_moved(&before->elements, &now.elements);
  if (now.has_factors && has_moved(&before->factors, &now.factors)) moved = 1;
  if (!moved) return BRACKET_OK;
  const bracket_layout elements = layout_of(&now.elements), factors = layout_of(&now.factors);
  const int code =
      bracket_reducer_move(handle->reducer, k, &elements, now.has_factors ? &factors : NULL);
  if (code == BRACKET_OK) *before = now;
  return code;
}

/* Says what is wrong with the arrays of a run. */
static void check_run(const struct reducer* handle, const struct field* fields, int64_t count,
                      const struct view* results, char words[most_words]) {
  words[0] = '\0';
  if (count != handle->count) {
    snprintf(words, most_words, "%lld field(s) given, the reducer is of %lld", (long long)count,
             (long long)handle->count);
  }
  for (int64_t k = 0; k < count && words[0] == '\0'; ++k) {
    const struct field* field = &fields[k];
    if (field->elements.type != handle->type ||
        (field->has_factors && field->factors.type != handle->type)) {
      snprintf(words, most_words, "field %lld: the reducer is of another type and kind",
               (long long)(k + 1));
    } else if (field->has_factors != handle->fields[k].has_factors) {
      snprintf(words, most_words, "field %lld: %s", (long long)(k + 1),
               field->has_factors ? "factors for a field that is not of products" : "no factors");
    } else {
      const struct field* const before = &handle->fields[k];
      check_shape(&before->elements, &field->elements, "elements", k + 1, words);
      if (field->has_factors) {
        check_shape(&before->factors, &field->factors, "factors", k + 1, words);
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
  } else if (handle->locates ? results->type >= 0 || results->bytes != 16
                             : results->type != handle->type) {
    snprintf(words, most_words, "the result is of another type or kind than the elements%s",
             handle->locates ? "' location" : "");
  }
}

/* Counts from 1 in the results of a complete run. */
static void deliver(struct reducer* handle) {
  if (handle->results == NULL) return;
  for (int64_t k = 0; k < handle->count; ++k) {
    ((bracket_located_int64*)(void*)handle->results)[k].index += 1;
  }
  handle->results = NULL;
}

/* Begins a run; as bracket_reducer_start, but arrays may lie elsewhere than before. */
int bracket_fortran_start(struct reducer* handle, const struct field* fields, int64_t count,
                          const struct view* results) {
  if (handle == NULL) return bracket_reducer_start(NULL, NULL, NULL);
  char words[most_words];
  check_run(handle, fields, count, results, words);
  if (words[0] != '\0') return bracket_reducer_refuse(handle->reducer, words);
  bracket_arrays* const arrays = malloc((size_t)count * sizeof *arrays);
  if (arrays == NULL) {
    return bracket_reducer_refuse(handle->reducer, "there is not enough memory");
  }
  int code = BRACKET_OK;
  for (int64_t k = 0; k < count && code == BRACKET_OK; ++k) {
    code = move(handle, k, &fields[k]);
    arrays[k].elements = fields[k].elements.address;
    arrays[k].factors = fields[k].has_factors ? fields[k].factors.address : NULL;
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

/* The reducer itself, for what needs no translation. */
bracket_reducer* bracket_fortran_reducer(const struct reducer* handle) {
  return handle == NULL ? NULL : handle->reducer;
}

int bracket_fortran_free(struct reducer** handle) {
  if (*handle == NULL) return BRACKET_OK;
  const int code = bracket_reducer_free(&(*handle)->reducer);
  free(*handle);
  *handle = NULL;
  return code;
}

/* Ends the program on all ranks with code 2, which is that of bad input. */
void bracket_fortran_abort(void) {
  int begun = 0, ended = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  if (begun && !ended) {
    /* MPICH's launcher drops words that it has not read by then. */
    const struct timespec moment = {0, 100000000};
    nanosleep(&moment, NULL);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  exit(2);
}
