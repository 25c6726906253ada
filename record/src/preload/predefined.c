/* SPDX-License-Identifier: MIT */

#include "preload/preload.h"

struct named_op {
  MPI_Op op;
  const char* name;
};

/* Compares handles, which are addresses in Open MPI and so no constants for a switch. */
const char* predefined_op(MPI_Op op) {
  const struct named_op all[] = {
      {MPI_SUM, "MPI_SUM"},   {MPI_PROD, "MPI_PROD"},     {MPI_MAX, "MPI_MAX"},
      {MPI_MIN, "MPI_MIN"},   {MPI_MAXLOC, "MPI_MAXLOC"}, {MPI_MINLOC, "MPI_MINLOC"},
      {MPI_LAND, "MPI_LAND"}, {MPI_LOR, "MPI_LOR"},       {MPI_LXOR, "MPI_LXOR"},
      {MPI_BAND, "MPI_BAND"}, {MPI_BOR, "MPI_BOR"},       {MPI_BXOR, "MPI_BXOR"}};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
    if (all[i].op == op) return all[i].name;
  }
  return NULL;
}

static bool is_any(MPI_Datatype type, const MPI_Datatype* all, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (all[i] != MPI_DATATYPE_NULL && all[i] == type) return true;
  }
  return false;
}

#define IS(type, ...)                               \
  is_any(type, (const MPI_Datatype[]){__VA_ARGS__}, \
         sizeof((const MPI_Datatype[]){__VA_ARGS__}) / sizeof(MPI_Datatype))

struct part part_of_predefined(MPI_Datatype type, int size) {
  const uint32_t bytes = (uint32_t)size;
  if (IS(type, MPI_FLOAT, MPI_DOUBLE, MPI_REAL, MPI_DOUBLE_PRECISION, MPI_REAL4, MPI_REAL8) &&
      (size == 4 || size == 8)) {
    return (struct part){element_float, bytes};
  }
  if (IS(type, MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_COMPLEX, MPI_DOUBLE_COMPLEX,
         MPI_COMPLEX8, MPI_COMPLEX16, MPI_CXX_FLOAT_COMPLEX, MPI_CXX_DOUBLE_COMPLEX) &&
      (size == 8 || size == 16)) {
    return (struct part){element_complex, bytes / 2};
  }
#if defined(__x86_64__) || defined(__i386__)
  if (IS(type, MPI_LONG_DOUBLE, MPI_C_LONG_DOUBLE_COMPLEX, MPI_CXX_LONG_DOUBLE_COMPLEX)) {
    return (struct part){element_extended, 16};
  }
#endif
  if (IS(type, MPI_UNSIGNED_CHAR, MPI_UNSIGNED_SHORT, MPI_UNSIGNED, MPI_UNSIGNED_LONG,
         MPI_UNSIGNED_LONG_LONG, MPI_UINT8_T, MPI_UINT16_T, MPI_UINT32_T, MPI_UINT64_T, MPI_BYTE)) {
    return (struct part){element_unsigned, bytes};
  }
  if (IS(type, MPI_SIGNED_CHAR, MPI_SHORT, MPI_INT, MPI_LONG, MPI_LONG_LONG, MPI_INT8_T,
         MPI_INT16_T, MPI_INT32_T, MPI_INT64_T, MPI_INTEGER, MPI_INTEGER1, MPI_INTEGER2,
         MPI_INTEGER4, MPI_INTEGER8, MPI_COUNT, MPI_OFFSET, MPI_AINT)) {
    return (struct part){element_signed, bytes};
  }
  return (struct part){element_other, bytes};
}
