/* SPDX-License-Identifier: MIT */

#include "reproducible.h"

#include <float.h>
#include <string.h>

_Static_assert(FLT_EVAL_METHOD == 0, "double arithmetic must round to double");

/* Of complex items, `count` is the number of their components. */
#define REAL(NAME, TYPE, QUIET_NAN)                                      \
  static void add_##NAME(void* left, const void* right, size_t count) {  \
    TYPE* const to = left;                                               \
    const TYPE* const from = right;                                      \
    for (size_t i = 0; i < count; ++i) to[i] = to[i] + from[i];          \
  }                                                                      \
  static void multiply_##NAME(void* left, const void* right, size_t n) { \
    TYPE* const to = left;                                               \
    const TYPE* const from = right;                                      \
    for (size_t i = 0; i < n; ++i) to[i] = to[i] * from[i];              \
  }                                                                      \
  static void finish_##NAME(void* numbers, size_t count) {               \
    TYPE* const number = numbers;                                        \
    for (size_t i = 0; i < count; ++i) {                                 \
      if (number[i] != number[i]) number[i] = QUIET_NAN;                 \
    }                                                                    \
  }                                                                      \
  COMPLEX(NAME, TYPE)

/* Each operation is rounded once, and infinities are not recovered from NaNs. */
#define COMPLEX(NAME, TYPE)                                                          \
  static void add_complex_##NAME(void* left, const void* right, size_t items) {      \
    add_##NAME(left, right, 2 * items);                                              \
  }                                                                                  \
  static void multiply_complex_##NAME(void* left, const void* right, size_t items) { \
    TYPE* const to = left;                                                           \
    const TYPE* const from = right;                                                  \
    for (size_t i = 0; i < 2 * items; i += 2) {                                      \
      const TYPE real = to[i] * from[i] - to[i + 1] * from[i + 1];                   \
      to[i + 1] = to[i] * from[i + 1] + to[i + 1] * from[i];                         \
      to[i] = real;                                                                  \
    }                                                                                \
  }                                                                                  \
  static void finish_complex_##NAME(void* items, size_t count) { finish_##NAME(items, 2 * count); }

REAL(float, float, __builtin_nanf(""))
REAL(double, double, __builtin_nan(""))
REAL(extended, long double, __builtin_nanl(""))

#define CHOSEN(NAME, BYTES) \
  (struct operation) { sum ? add_##NAME : multiply_##NAME, finish_##NAME, (BYTES) }

enum knowledge operation_of(MPI_Datatype type, MPI_Op op, struct operation* operation) {
  if (predefined_op(op) == NULL) return operator_unknown;
  const bool sum = op == MPI_SUM;
  if (!sum && op != MPI_PROD) return order_irrelevant;
  int bytes = 0;
  PMPI_Type_size(type, &bytes);
  const size_t size = (size_t)bytes;
  const struct part part = part_of_predefined(type, bytes);
  const bool single = part.bytes == sizeof(float);
  switch (part.element) {
    case element_float:
      *operation = single ? CHOSEN(float, size) : CHOSEN(double, size);
      return order_executed;
    case element_complex:
      *operation = single ? CHOSEN(complex_float, size) : CHOSEN(complex_double, size);
      return order_executed;
    case element_extended:
      *operation =
          size == sizeof(long double) ? CHOSEN(extended, size) : CHOSEN(complex_extended, size);
      return order_executed;
    case element_signed:
    case element_unsigned:
      return order_irrelevant;
    default:
      return type_unknown;
  }
}
