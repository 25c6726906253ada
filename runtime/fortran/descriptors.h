/* SPDX-License-Identifier: MIT */

#ifndef DESCRIPTORS_H
#define DESCRIPTORS_H

/* Fortran's array descriptors as layouts of the interface for C, whose last dimension is Fortran's
 * first. */

#include <ISO_Fortran_binding.h>
#include <bracket.h>

enum { most_dimensions = 5, most_words = 200 };

/* What is wrong with an element of another type. */
extern const char bracket_fortran_type_unknown[];

/* Problems of an array, reported when it is used. */
enum problem { no_problem = 0, type_unknown = 1, too_many_dimensions = 2, assumed_size = 3 };

/* An array with its dimensions in C's order. Has the layout of `array_view` in interface.f90. */
struct view {
  void* address;
  int64_t bytes; /* of an element */
  int type;      /* of enum bracket_type, or -1 for any other */
  int problem;
  int dimensions;
  int64_t extents[most_dimensions];
  int64_t strides[most_dimensions];
};

/* Describes an array. It never fails: a problem is written into the view. */
void bracket_fortran_view(const CFI_cdesc_t* array, struct view* view);

/* Writes the problem of an array of a field, counted from 0, to `words`; "" without a problem.
 * `any_type`: elements of an unknown type are none. */
void bracket_fortran_problem(const struct view* view, const char* name, int64_t field, int any_type,
                             char words[most_words]);

#endif
