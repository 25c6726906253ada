/* SPDX-License-Identifier: MIT */

#include "descriptors.h"

#include <stdio.h>
#include <string.h>

const char bracket_fortran_type_unknown[] =
    "neither integer, real nor complex of kinds int32, int64, real32 or real64";

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

void bracket_fortran_view(const CFI_cdesc_t* array, struct view* view) {
  memset(view, 0, sizeof *view);
  view->address = array->base_addr;
  view->bytes = (int64_t)array->elem_len;
  view->type = type_of(array);
  view->dimensions = array->rank;
  if (array->rank > most_dimensions) {
    view->problem = too_many_dimensions;
    return;
  }
  for (int i = 0; i < array->rank; ++i) {
    const int place = array->rank - 1 - i;
    view->extents[place] = array->dim[i].extent;
    view->strides[place] = array->dim[i].sm;
  }
  if (array->rank > 0 && view->extents[0] < 0) {
    view->problem = assumed_size;
  }
}

void bracket_fortran_problem(const struct view* view, const char* name, int64_t field, int any_type,
                             char words[most_words]) {
  const char* what = NULL;
  words[0] = '\0';
  switch (view->problem) {
    case too_many_dimensions:
      snprintf(words, most_words, "field %lld: %s of rank %d: there may be 0 to %d",
               (long long)field, name, view->dimensions, most_dimensions);
      return;
    case assumed_size:
      what = "an assumed-size array, whose end is unknown: give a section of it";
      break;
    default:
      if (view->type < 0 && !any_type) {
        what = bracket_fortran_type_unknown;
      }
  }
  if (what != NULL) {
    snprintf(words, most_words, "field %lld: %s: %s", (long long)field, name, what);
  }
}
