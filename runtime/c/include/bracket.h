/* SPDX-License-Identifier: MIT */

#ifndef BRACKET_H
#define BRACKET_H

/* Reductions with the same bits on any number of ranks and threads, from C (99 or later).
 *
 *     double total;
 *     bracket_sum_double(MPI_COMM_WORLD, mine, count, &total);
 *
 * For other fields and operators, make a reducer once and run it as often as you want:
 *
 *     int64_t extents[] = {cells_with_ghosts, levels}, begin[] = {0, 0}, end[] = {cells, levels};
 *     bracket_field field = {{2, extents, begin, end, NULL}, NULL, NULL};
 *     bracket_arrays arrays = {temperature, NULL};
 *     bracket_reducer* sum;
 *     if (bracket_reducer_create(MPI_COMM_WORLD, BRACKET_FLOAT64, BRACKET_SUM, &field, 1, NULL,
 *                                &sum) != BRACKET_OK ||
 *         bracket_reducer_run(sum, &arrays, &total) != BRACKET_OK) {
 *       fprintf(stderr, "%s\n", bracket_message());
 *     }
 *     bracket_reducer_free(&sum);
 *
 * Every function but bracket_message returns a code of `enum bracket_code`. If you end a program
 * after a failure, call MPI_Abort, since the other ranks may wait.
 */

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Return codes of functions. */
enum bracket_code {
  BRACKET_OK = 0,
  BRACKET_BAD_INPUT = 1,  /* refused on this rank; a run under way goes on */
  BRACKET_COLLECTIVE = 2, /* wrong on some rank; every rank gets this code and the same message */
  BRACKET_NO_MEMORY = 3,
  BRACKET_INTERNAL = 4 /* a fault of the library */
};

/* The message of this thread's latest failure; "" before the first. Valid until the next failure.
 */
const char* bracket_message(void);

/* Types of elements. The numbers of types and operators differ, so that one in the place of the
 * other is refused. */
enum bracket_type {
  BRACKET_INT32 = 101,
  BRACKET_INT64 = 102,
  BRACKET_FLOAT32 = 103,
  BRACKET_FLOAT64 = 104,
  BRACKET_COMPLEX64 = 105, /* two float32, as C's float _Complex */
  BRACKET_COMPLEX128 = 106,
  BRACKET_UINT32 = 107,
  BRACKET_UINT64 = 108
};

/* Operators. Complex numbers have sum, product and digest. */
enum bracket_op {
  BRACKET_SUM = 201,
  BRACKET_PRODUCT = 202,
  BRACKET_MINIMUM = 203,
  BRACKET_MAXIMUM = 204,
  BRACKET_MINIMUM_LOCATION = 205, /* the minimum and the lowest index at which it lies */
  BRACKET_MAXIMUM_LOCATION = 206,
  BRACKET_DIGEST = 207 /* identifies the elements and their sequence */
};

/* Results of the two locations: the element and its global index, counted from 0. Without elements,
 * the index is -1. */
typedef struct bracket_located_int32 {
  int32_t value;
  int64_t index;
} bracket_located_int32;
typedef struct bracket_located_int64 {
  int64_t value;
  int64_t index;
} bracket_located_int64;
typedef struct bracket_located_uint32 {
  uint32_t value;
  int64_t index;
} bracket_located_uint32;
typedef struct bracket_located_uint64 {
  uint64_t value;
  int64_t index;
} bracket_located_uint64;
typedef struct bracket_located_float32 {
  float value;
  int64_t index;
} bracket_located_float32;
typedef struct bracket_located_float64 {
  double value;
  int64_t index;
} bracket_located_float64;

/* Result of the digest. An equal `sequence` means the same elements, bit for bit, in the same
 * sequence; an equal `set` with a different `sequence`, the same elements in another sequence; a
 * different `set`, different elements. Two different inputs have equal digests with a probability
 * of about 2^-64. */
typedef struct bracket_digest {
  uint64_t set;
  uint64_t sequence;
} bracket_digest;

/* Settings of a reducer. They must be the same on every rank, except `threads`, `kernel` and
 * `memory`. Every member but `bytes` has its default if it is 0 or NULL:
 *
 *     bracket_settings settings = {.bytes = sizeof settings, .algorithm = "binned"};
 *
 * The bits of a result depend on the algorithm, the number of elements and the elements in their
 * sequence: those of rank 0, then those of rank 1, and so on. Algorithms are
 *
 * - "tree", the binary tree over the global sequence of elements,
 * - "chunked-tree:64", chunks of 64 elements from left to right, then the tree over them,
 * - "sequential", from left to right,
 * - "binned", sums of floats with the same bits for any sequence of elements; "binned:4" has four
 *   bins of 40 bits each, where "binned" has three; there are 1 to 8. "binned:4:30" has bins of 30
 *   bits, of 8 to 50,
 * - "binned-exact", as "binned", but products are not rounded before they are added,
 * - "pre-rounded", sums with the same bits for any sequence by two reductions; "pre-rounded:3" has
 *   three levels of multiples, where "pre-rounded" has two; there are 1 to 4. A function of elements
 *   is called twice, and must write the same,
 * - "double-double", sums of floats by the tree over double-double numbers,
 * - "stochastic", sums of floats by the tree, each the mean of three sums with random rounding,
 * - "associative", for results that do not depend on the bracketing, as those of integers.
 *
 * Blocks of a grid have different sequences on different numbers of ranks. For these, "binned"
 * gives bits that do not depend on the sequence.
 *
 * Later versions have further members at the end. `bytes` tells the library with which of them the
 * program was compiled. */
typedef struct bracket_settings {
  int64_t bytes; /* sizeof(bracket_settings) */
  int widened;   /* not 0: compute float32 and complex64 in float64, and round once at the end */
  int checked;   /* not 0: integer sums and products that do not fit are an error; 0: they wrap */
  int rooted;    /* not 0: only the rank `root` gets the results; 0: every rank */
  int root;      /* 0 unless `rooted` */
  int threads;   /* that fold each rank's elements; 0: 1 */
  const char* algorithm; /* NULL: "tree" */
  const char* plan;      /* NULL: one that suits the number of ranks */
  const char* kernel;    /* NULL: the fastest that the processor supports */
  const char* memory;    /* where this rank's arrays lie: "host" or "cuda"; NULL: as their addresses
                            say. "emulated" folds those of the host by the code of devices */
  const struct bracket_planned* planned; /* algorithm, plan, root and distribution of a plan file,
                            read by bracket_planned_read; then leave out the first three. NULL:
                            none */
} bracket_settings;

/* Places of a rank's elements of a field: an index range of an array of 0 to 5 dimensions. The last
 * dimension varies fastest in the sequence of elements, for any strides. Each list has a number for
 * each dimension and is read only during the call. */
typedef struct bracket_layout {
  int dimensions;         /* 0: a single number */
  const int64_t* extents; /* of the array */
  const int64_t* begin;   /* first index in the range, from 0 on; NULL: 0 */
  const int64_t* end;     /* index after the last in the range; NULL: the extents */
  const int64_t* strides; /* bytes from one index to the next, of any sign; NULL: an array without
                             gaps whose last dimension is contiguous */
} bracket_layout;

/* One rank's description of a field. */
typedef struct bracket_field {
  bracket_layout elements;
  const bracket_layout* factors; /* for products, the second array's elements, as many in each
                                    dimension; NULL: no products */
  const int64_t* distribution;   /* one number more than there are ranks: rank k holds the elements
                                    [distribution[k], distribution[k + 1]) of the field; NULL: each
                                    rank's elements follow those of the rank below */
  int op; /* of enum bracket_op; 0: the reducer's. The results of all fields must have the same
             type: sums, products, minima and maxima go together, and so do the two locations */
} bracket_field;

/* Writes `count` elements of a field, from this rank's number `first` on, counted from 0, to
 * `into`. It may be called twice for the same numbers, and must then write the same elements. With
 * several threads, there are concurrent calls. */
typedef void bracket_make_elements(const void* context, int64_t first, int64_t count, void* into);

/* The arrays of a field in a run, each the address of its element with index 0 in every dimension.
 * They may lie in the memory of a CUDA device, both or neither. For a field without products, a
 * function may make the elements instead. */
typedef struct bracket_arrays {
  const void* elements;        /* an array, or the context of `make` */
  const void* factors;         /* NULL without products */
  bracket_make_elements* make; /* NULL with arrays */
} bracket_arrays;

/* A reducer. Only one thread at a time may use it. */
typedef struct bracket_reducer bracket_reducer;

/* Sums all ranks' contiguous arrays, in tree order, on every rank. Collective. Makes a reducer and
 * frees it: for more than one sum, make a reducer yourself. */
int bracket_sum_double(MPI_Comm communicator, const double* elements, int64_t count,
                       double* result);

/* Sums by the algorithm "binned": the bits do not depend on which rank holds which elements. */
int bracket_binned_sum_double(MPI_Comm communicator, const double* elements, int64_t count,
                              double* result);

/* What a plan file of `bracket tune` says about a number of elements on the ranks of a
 * communicator. A reducer with such settings reduces as planned, and refuses fields with another
 * distribution of the elements. */
typedef struct bracket_planned bracket_planned;

/* Reads a plan file. Collective. Free the result with bracket_planned_free; reducers keep nothing
 * of it. After a failure *planned is NULL. Failures are BRACKET_COLLECTIVE, for example if a rank
 * cannot read the file, or if it is for other numbers of elements or ranks or for another version
 * of the order; except BRACKET_BAD_INPUT for an invalid communicator. */
int bracket_planned_read(MPI_Comm communicator, const char* path, int64_t elements,
                         bracket_planned** planned);

/* Sets [*begin, *end) to the elements that this rank is to hold, as global indices. */
int bracket_planned_held(const bracket_planned* planned, int64_t* begin, int64_t* end);

/* Frees it, and sets *planned to NULL. */
void bracket_planned_free(bracket_planned** planned);

/* Makes a reducer of `count` fields of a type and operator. The messages of several reducers do not
 * mix. `settings` may be NULL for the defaults. Collective. Free the reducer with
 * bracket_reducer_free before MPI_Finalize. After a failure *reducer is NULL. Failures are
 * BRACKET_COLLECTIVE, except BRACKET_BAD_INPUT for an invalid communicator. */
int bracket_reducer_create(MPI_Comm communicator, int type, int op, const bracket_field* fields,
                           int64_t count, const bracket_settings* settings,
                           bracket_reducer** reducer);

/* An operator of your own: combines `left`, which comes first, and `right`, and writes the result
 * to `result`, which is another place. All are copies of elements, aligned as by malloc. The
 * operator need be neither associative nor commutative, but must give the same result for the same
 * operands. With several threads, there are concurrent calls. */
typedef void bracket_join(const void* left, const void* right, void* result, void* context);

/* Largest number of bytes of an element of an own operator. */
enum { BRACKET_MOST_BYTES = 256 };

/* Makes a reducer by an operator of your own. Elements have `element_bytes` bytes, 1 to
 * BRACKET_MOST_BYTES, and are copied and sent as bytes. The algorithm is "tree", "chunked-tree:K"
 * or "sequential". There are no products, and there must be an element. Otherwise as
 * bracket_reducer_create. */
int bracket_reducer_create_own(MPI_Comm communicator, int64_t element_bytes, bracket_join* join,
                               void* context, const bracket_field* fields, int64_t count,
                               const bracket_settings* settings, bracket_reducer** reducer);

/* Refuses, with this message, a reducer that the other ranks make by bracket_reducer_create, so
 * that they do not wait. For bindings. Collective; never returns BRACKET_OK. */
int bracket_reducer_refuse_create(MPI_Comm communicator, const char* words);

/* Reduces all fields. `arrays` has an element for each field. `results` has room for a result for
 * each field, of the elements' type, the struct of their location, or bracket_digest; it may be
 * NULL on ranks without results, and lie in the memory of a CUDA device. Collective. Returns
 * BRACKET_BAD_INPUT on ranks with results if these do not fit (`checked`). After BRACKET_COLLECTIVE
 * no run is possible any more. */
int bracket_reducer_run(bracket_reducer* reducer, const bracket_arrays* arrays, void* results);

/* Begins a run. Until it is complete, the arrays of elements must exist, and `results` must not be
 * read or written; `arrays` itself is read only during the call. If several runs are under way, all
 * ranks must wait for them in the same order. */
int bracket_reducer_start(bracket_reducer* reducer, const bracket_arrays* arrays, void* results);

/* Makes progress, and sets *complete to 1 if the run is complete or there is no run, otherwise to
 * 0. Call it now and then: other ranks may wait for this rank. */
int bracket_reducer_test(bracket_reducer* reducer, int* complete);

/* Completes the run, if there is one. */
int bracket_reducer_wait(bracket_reducer* reducer);

/* Changes the layout of a field from the next run on. The number of elements in each dimension must
 * stay the same. Not collective, but a wrong layout also ends the other ranks' next run. */
int bracket_reducer_move(bracket_reducer* reducer, int64_t field, const bracket_layout* elements,
                         const bracket_layout* factors);

/* Refuses, with this message, the run that the other ranks begin. For bindings. Never returns
 * BRACKET_OK. */
int bracket_reducer_refuse(bracket_reducer* reducer, const char* words);

/* Sets *fields to the number of fields. */
int bracket_reducer_fields(bracket_reducer* reducer, int64_t* fields);

/* Sets [*begin, *end) to the elements of a field that this rank holds, as global indices. */
int bracket_reducer_held(bracket_reducer* reducer, int64_t field, int64_t* begin, int64_t* end);

/* Sets *elements to the number of a field's elements on all ranks. */
int bracket_reducer_elements(bracket_reducer* reducer, int64_t field, int64_t* elements);

/* What the algorithm "stochastic" says about the latest result of a field, on ranks that have it: sets
 * *digits to the number of decimal digits that rounding errors do not affect, by Student's test at
 * 95 %, and *cancellations to the number of additions whose result has at least four digits less than
 * their operands. `cancellations` may be NULL. */
int bracket_reducer_accuracy(bracket_reducer* reducer, int64_t field, double* digits,
                             int64_t* cancellations);

/* Sets *delivers to 1 if this rank gets the results, otherwise to 0. */
int bracket_reducer_delivers(bracket_reducer* reducer, int* delivers);

/* Sets *messages to the number of messages that this rank has sent in all runs. */
int bracket_reducer_messages_sent(bracket_reducer* reducer, int64_t* messages);

/* Frees a reducer and sets *reducer to NULL; does nothing if it is NULL. Gives up a run under way:
 * the other ranks wait for it forever. In a function or an operator that the reducer calls, it only
 * returns BRACKET_BAD_INPUT. */
int bracket_reducer_free(bracket_reducer** reducer);

/* Reduces elements that come one after the other, without an array of them. The result has the bits
 * of a reducer over all elements with the same settings:
 *
 *     const bracket_settings binned = {.bytes = sizeof binned, .algorithm = "binned"};
 *     bracket_accumulator* mass;
 *     bracket_accumulator_create(BRACKET_FLOAT64, BRACKET_SUM, 0, &binned, &mass);
 *     for (i = 0; i < cells; ++i) {
 *       const double own = density(i) * volume(i);
 *       bracket_accumulator_add(mass, &own, 1);
 *     }
 *     bracket_accumulator_reduce(mass, MPI_COMM_WORLD, &total);
 *     bracket_accumulator_free(&mass);
 *
 * Sums by "binned", minima, maxima, and sums and products of integers do not depend on the
 * sequence: elements may come in any. All other results need the elements in their global sequence:
 * those of all ranks' accumulators together are the elements from 0 on, without a gap. Algorithms
 * are "tree", "binned", "double-double" and "stochastic". Only one thread at a time may use an
 * accumulator. */
typedef struct bracket_accumulator bracket_accumulator;

/* Makes an accumulator. `first` is the global index of its first element, which has no meaning if
 * the result does not depend on the sequence. `settings` may be NULL for the defaults. Not
 * collective. After a failure *accumulator is NULL. */
int bracket_accumulator_create(int type, int op, int64_t first, const bracket_settings* settings,
                               bracket_accumulator** accumulator);

/* Adds `count` elements that lie side by side in the memory of the host. */
int bracket_accumulator_add(bracket_accumulator* accumulator, const void* elements, int64_t count);

/* Adds the elements of another accumulator, which keeps them. If the result depends on the
 * sequence, they must follow those of the first. */
int bracket_accumulator_add_other(bracket_accumulator* accumulator,
                                  const bracket_accumulator* other);

/* Sets *count to the number of elements that were added. */
int bracket_accumulator_count(const bracket_accumulator* accumulator, int64_t* count);

/* Forgets all elements. The next one has the global index `first`. */
int bracket_accumulator_reset(bracket_accumulator* accumulator, int64_t first);

/* Writes the result of this accumulator's elements alone, of the same type as that of a reducer. If
 * it depends on the sequence, the elements must begin at the global index 0. */
int bracket_accumulator_value(bracket_accumulator* accumulator, void* result);

/* Reduces the elements of all ranks' accumulators, which keep them. `result` may be NULL on ranks
 * without a result. Collective. Returns BRACKET_COLLECTIVE if the ranks' accumulators do not fit
 * together, and BRACKET_BAD_INPUT as bracket_reducer_run does. */
int bracket_accumulator_reduce(bracket_accumulator* accumulator, MPI_Comm communicator,
                               void* result);

/* Refuses, with this message, a reduction that the other ranks begin by bracket_accumulator_reduce,
 * so that they do not wait. For bindings. Collective; never returns BRACKET_OK. */
int bracket_accumulator_refuse(MPI_Comm communicator, const char* words);

/* Frees an accumulator and sets *accumulator to NULL; does nothing if it is NULL. */
int bracket_accumulator_free(bracket_accumulator** accumulator);

#ifdef __cplusplus
}
#endif

#endif
