#include "descriptors.h"

#include <stdio.h>
#include <string.h>

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
  if (array->rank > 0 && view->extents[0] < 0) {
    view->problem = assumed_size;
    return;
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

void bracket_fortran_problem(const struct view* view, const char* name, int64_t field,
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
    case assumed_size:
      what = "an assumed-size array, whose end nobody knows: give a section of it";
      break;
    default:
      if (view->type < 0) {
        what = "neither integer, real nor complex of kinds int32, int64, real32 or real64";
      }
  }
  if (what != NULL) {
    snprintf(words, most_words, "field %lld: %s: %s", (long long)field, name, what);
  }
}
