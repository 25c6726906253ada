#ifndef DESCRIPTORS_H
#define DESCRIPTORS_H

/* Array descriptors of Fortran's as layouts of the interface for C, whose last dimension is
 * Fortran's first; and positions that count from 1 as indices that count from 0. */

#include <ISO_Fortran_binding.h>
#include <bracket.h>

enum { most_dimensions = 5, most_words = 200 };

/* What is wrong with an array, said when it is used. */
enum problem {
  no_problem = 0,
  type_unknown = 1,
  too_many_dimensions = 2,
  bad_lower = 3,
  bad_upper = 4,
  bad_range = 5,
  assumed_size = 6
};

/* An array, its dimensions in C's order; as `array_view` of interface.f90. */
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

/* Describes an array, of which `lower` to `upper` are meant in each dimension, those included, from
 * 1 on; NULL: from the first, or to the last. Nothing fails: what is wrong is noted. */
void bracket_fortran_view(const CFI_cdesc_t* array, const CFI_cdesc_t* lower,
                          const CFI_cdesc_t* upper, struct view* view);

/* Says what is wrong with an array of a field, counted from 1; "" if nothing is. */
void bracket_fortran_problem(const struct view* view, const char* name, int64_t field,
                             char words[most_words]);

#endif
