/* SPDX-License-Identifier: MIT */

/* One program in C, C++, Fortran and Python. It prints the same lines on any number of ranks.
 *
 * A field of cells x levels, both counted from 0, has the values
 *
 *   h = (cell / 4 * 48271 + level * 16807 + 11) mod 2147483647
 *   cell mod 4 = 0: h * 2^20    1: h / 2^30    2: -h * 2^20    3: -h / 2^40
 *
 * and the areas (cell + level) mod 5 / 4. Doubles hold all of them exactly. Large values cancel,
 * and small values are lost beside them, so that another bracketing gives another sum. */

#include <bracket.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { levels = 7, ghosts = 2 };

static double value(int64_t cell, int64_t level) {
  const double h = (double)((cell / 4 * 48271 + level * 16807 + 11) % 2147483647);
  switch (cell % 4) {
    case 0:
      return h * 1048576;
    case 1:
      return h / 1073741824;
    case 2:
      return -h * 1048576;
    default:
      return -h / 1099511627776;
  }
}

static double area(int64_t cell, int64_t level) { return (double)((cell + level) % 5) / 4; }

static void check(int code) {
  if (code == BRACKET_OK) return;
  fprintf(stderr, "%s\n", bracket_message());
  MPI_Abort(MPI_COMM_WORLD, 2);
}

static uint64_t bits(double number) {
  uint64_t word;
  memcpy(&word, &number, sizeof word);
  return word;
}

/* Reduces a field once. *result is a double, or a location for BRACKET_MAXIMUM_LOCATION. */
static void reduce(const bracket_field* field, int op, const char* algorithm, const double* values,
                   const double* areas, void* result) {
  const bracket_settings settings = {.bytes = sizeof settings, .algorithm = algorithm};
  const bracket_arrays arrays = {.elements = values, .factors = areas};
  bracket_reducer* reducer = NULL;
  check(bracket_reducer_create(MPI_COMM_WORLD, BRACKET_FLOAT64, op, field, 1, &settings, &reducer));
  check(bracket_reducer_run(reducer, &arrays, result));
  check(bracket_reducer_free(&reducer));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int64_t cells = argc > 1 ? atoll(argv[1]) : 1000;
  const int64_t first = cells * rank / ranks, own = cells * (rank + 1) / ranks - first;

  /* The ghost cells after a rank's own cells belong to other ranks. Their values here would change
   * the results. */
  const size_t count = (size_t)((own + ghosts) * levels);
  double* const values = malloc(count * sizeof *values);
  double* const areas = malloc(count * sizeof *areas);
  for (int64_t i = 0; i < own + ghosts; ++i) {
    for (int64_t level = 0; level < levels; ++level) {
      values[i * levels + level] = i < own ? value(first + i, level) : 1e300;
      areas[i * levels + level] = i < own ? area(first + i, level) : 1e300;
    }
  }
  const int64_t extents[] = {own + ghosts, levels}, end[] = {own, levels};
  const bracket_layout layout = {2, extents, NULL, end, NULL};
  const bracket_field field = {.elements = layout},
                      product = {.elements = layout, .factors = &layout};

  double sum, binned, double_double, stochastic, dot, minimum;
  bracket_located_float64 maximum;
  reduce(&field, BRACKET_SUM, "tree", values, NULL, &sum);
  reduce(&field, BRACKET_SUM, "binned", values, NULL, &binned);
  reduce(&field, BRACKET_SUM, "double-double", values, NULL, &double_double);
  reduce(&field, BRACKET_SUM, "stochastic", values, NULL, &stochastic);
  reduce(&product, BRACKET_SUM, "tree", values, areas, &dot);
  reduce(&field, BRACKET_MINIMUM, "tree", values, NULL, &minimum);
  reduce(&field, BRACKET_MAXIMUM_LOCATION, "tree", values, NULL, &maximum);
  if (rank == 0) {
    printf("sum %016" PRIX64 "\n", bits(sum));
    printf("sum_binned %016" PRIX64 "\n", bits(binned));
    printf("sum_double_double %016" PRIX64 "\n", bits(double_double));
    printf("sum_stochastic %016" PRIX64 "\n", bits(stochastic));
    printf("dot %016" PRIX64 "\n", bits(dot));
    printf("minimum %016" PRIX64 "\n", bits(minimum));
    printf("maximum_location %016" PRIX64 " %" PRId64 "\n", bits(maximum.value), maximum.index);
  }
  free(areas);
  free(values);
  MPI_Finalize();
  return 0;
}
