#ifndef BRACKET_H
#define BRACKET_H

/* Reductions with the same bits on any number of ranks and threads, from C (99 or later).
 *
 *     double total;
 *     bracket_sum_double(MPI_COMM_WORLD, mine, count, &total);
 *
 * or, made once and run as often as wanted, of any field that the ranks of a communicator hold:
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
 * Every function but bracket_message returns a code of `enum bracket_code`. Whoever ends a program
 * for one, ends with MPI_Abort: the other ranks may wait.
 */

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What functions return. */
enum bracket_code {
  BRACKET_OK = 0,
  BRACKET_BAD_INPUT = 1,  /* refused on this rank; what the reducer is doing goes on */
  BRACKET_COLLECTIVE = 2, /* wrong on some rank: every rank gets this, with the same words */
  BRACKET_NO_MEMORY = 3,
  BRACKET_INTERNAL = 4 /* a fault of the library's */
};

/* The words of this thread's latest failure; "" before the first. Valid until its next one. */
const char* bracket_message(void);

/* What elements are. The numbers of types, operators and algorithms differ: one in the place of
 * another is refused. */
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

/* What is asked of the elements. Complex numbers have sum, product and digest. */
enum bracket_op {
  BRACKET_SUM = 201,
  BRACKET_PRODUCT = 202,
  BRACKET_MINIMUM = 203,
  BRACKET_MAXIMUM = 204,
  BRACKET_MINIMUM_LOCATION = 205, /* and the lowest index at which it lies */
  BRACKET_MAXIMUM_LOCATION = 206,
  BRACKET_DIGEST = 207 /* which elements they are, and in which sequence */
};

/* How a result is computed. The bits are those of the algorithm, its parameters, the number of
 * elements and the elements in their sequence: those of rank 0, then those of rank 1, ... Blocks of
 * a grid are another sequence on another number of ranks: BRACKET_BINNED gives the same bits all
 * the same. */
enum bracket_algorithm {
  BRACKET_TREE = 0,            /* the binary tree over the global sequence of elements */
  BRACKET_CHUNKED_TREE = 301,  /* chunks from left to right, then the tree over them */
  BRACKET_BINNED = 302,        /* sums of floats: the same bits for any sequence of the elements */
  BRACKET_DOUBLE_DOUBLE = 303, /* sums of floats: the tree over double-double numbers */
  BRACKET_INTEGER = 304        /* of integers, whose results depend on no bracketing */
};

/* Results of the two locations: the element and its global index, counted from 0; of no elements
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

/* Result of the digest. Equal `sequence`: the same elements, bit for bit, in the same sequence.
 * Equal `set`, different `sequence`: the same elements in another sequence. Different `set`:
 * different elements. Two different inputs have equal digests with a probability of about 2^-64. */
typedef struct bracket_digest {
  uint64_t set;
  uint64_t sequence;
} bracket_digest;

/* How fields are reduced; the same on every rank but for `threads` and `kernel`. What is 0 or NULL,
 * all but `bytes`, has its default:
 *
 *     bracket_settings settings = {.bytes = sizeof settings, .algorithm = BRACKET_BINNED};
 *
 * Later versions have further members at the end. `bytes` tells the library which of them the
 * program was compiled with. */
typedef struct bracket_settings {
  int64_t bytes; /* sizeof(bracket_settings) */
  int algorithm; /* of enum bracket_algorithm; 0: the tree */
  int bins;      /* K of binned, 1 to 8, of 40 bits each; 0: 3 */
  int64_t chunk; /* elements of a chunk of chunked_tree; 0: 64 */
  int widened;   /* not 0: float32 in float64, rounded once in the end; complex64 likewise */
  int checked;   /* not 0: integer sums and products that do not fit are an error, else they wrap */
  int rooted;    /* not 0: the rank `root` alone ends with the results, else every rank */
  int root;      /* 0 unless `rooted` */
  int threads;   /* that fold each rank's elements; 0: 1 */
  const char* plan;   /* who tells whom; NULL: what suits the ranks */
  const char* kernel; /* of the processor; NULL: the fastest */
} bracket_settings;

/* Where a rank's elements of a field lie: an index range of an array of 0 to 5 dimensions. They are
 * numbered with the last dimension fastest, whatever the strides. Each list has a number for each
 * dimension and is read during the call alone. */
typedef struct bracket_layout {
  int dimensions;         /* 0: a single number */
  const int64_t* extents; /* of the array */
  const int64_t* begin;   /* first index meant, from 0 on; NULL: 0 */
  const int64_t* end;     /* index behind the last; NULL: the extents */
  const int64_t* strides; /* bytes from one index to the next, of any sign; NULL: the elements lie
                             close, the last dimension's side by side */
} bracket_layout;

/* A field as the rank that makes a reducer describes it. */
typedef struct bracket_field {
  bracket_layout elements;
  const bracket_layout* factors; /* of products: the second array's elements, as many in each
                                    dimension; NULL: no products */
  const int64_t* distribution;   /* one more than there are ranks: rank k holds the elements
                                    [distribution[k], distribution[k + 1]) of the field; NULL:
                                    each rank's follow those of the rank below */
  int op; /* of enum bracket_op; 0: the reducer's. The results of all fields are of one type: sums,
             products, minima and maxima go together, and so do the two locations */
} bracket_field;

/* Writes `count` elements of a field, from this rank's number `first` on, counted from 0, to `into`.
 * Gives the same for the same numbers, of which it may be asked twice; with threads it must bear
 * concurrent calls. */
typedef void bracket_make_elements(const void* context, int64_t first, int64_t count, void* into);

/* The arrays of a field at a run, from their elements of index 0 in every dimension on; or a function
 * that makes the elements of a field that is not of products. */
typedef struct bracket_arrays {
  const void* elements;        /* an array, or the context of `make` */
  const void* factors;         /* NULL without products */
  bracket_make_elements* make; /* NULL with arrays */
} bracket_arrays;

/* A reducer. One thread at a time may use it. */
typedef struct bracket_reducer bracket_reducer;

/* The sum of all ranks' contiguous arrays, in tree order, on every rank. Collective. Makes a
 * reducer and frees it: whoever sums more than once makes one. */
int bracket_sum_double(MPI_Comm communicator, const double* elements, int64_t count,
                       double* result);

/* The same by BRACKET_BINNED: the bits do not depend on which rank holds what. */
int bracket_binned_sum_double(MPI_Comm communicator, const double* elements, int64_t count,
                              double* result);

/* Makes a reducer of `count` fields of a type and operator, with messages of its own.
 * `settings` may be NULL for the defaults. Collective; ends, by bracket_reducer_free, before MPI
 * does. *reducer is NULL after a failure, which is BRACKET_COLLECTIVE, unless the communicator is
 * none: BRACKET_BAD_INPUT then. */
int bracket_reducer_create(MPI_Comm communicator, int type, int op, const bracket_field* fields,
                           int64_t count, const bracket_settings* settings,
                           bracket_reducer** reducer);

/* An operator of one's own: puts what comes of `left`, which comes first, and `right` into
 * `result`, which is neither. They are copies of elements, aligned as malloc's. Need be neither
 * associative nor commutative, but must give the same for the same and, with threads, bear
 * concurrent calls. */
typedef void bracket_join(const void* left, const void* right, void* result, void* context);

/* The most bytes that an element of an own operator may have. */
enum { BRACKET_MOST_BYTES = 256 };

/* Makes a reducer by an operator of one's own of elements of `element_bytes` bytes, 1 to
 * BRACKET_MOST_BYTES, which are copied and sent as bytes. The algorithm is the tree or the chunked
 * tree; there are no products, and no result of no elements. Otherwise as bracket_reducer_create.
 */
int bracket_reducer_create_own(MPI_Comm communicator, int64_t element_bytes, bracket_join* join,
                               void* context, const bracket_field* fields, int64_t count,
                               const bracket_settings* settings, bracket_reducer** reducer);

/* Takes part in the making of a reducer that this rank refuses, with these words: the others, in
 * bracket_reducer_create, are not left waiting. For bindings. Collective; never BRACKET_OK. */
int bracket_reducer_refuse_create(MPI_Comm communicator, const char* words);

/* Reduces all fields: `arrays` has a member for each, `results` room for a result for each, of the
 * elements' type, the struct of their location or bracket_digest, and may be NULL where none is
 * delivered. Collective. Results that do not fit (`checked`) are BRACKET_BAD_INPUT where delivered.
 * After BRACKET_COLLECTIVE no run is possible any more. */
int bracket_reducer_run(bracket_reducer* reducer, const bracket_arrays* arrays, void* results);

/* Begins such a run. What the arrays point to must last, and `results` is not to be touched, until
 * it is complete; `arrays` itself need not. All ranks wait for several in the same order. */
int bracket_reducer_start(bracket_reducer* reducer, const bracket_arrays* arrays, void* results);

/* Does what has become possible since, and sets *complete to whether the run is complete: 1 without
 * one. To be called now and then: others may need this rank's help. */
int bracket_reducer_test(bracket_reducer* reducer, int* complete);

/* Completes the run, if there is one. */
int bracket_reducer_wait(bracket_reducer* reducer);

/* From the next run on a field's elements lie otherwise, as many in each dimension as before. Not
 * collective, though a wrong layout ends the others' next run as well. */
int bracket_reducer_move(bracket_reducer* reducer, int64_t field, const bracket_layout* elements,
                         const bracket_layout* factors);

/* Refuses, with these words, the run that the others begin. For bindings. Never BRACKET_OK. */
int bracket_reducer_refuse(bracket_reducer* reducer, const char* words);

/* The number of fields. */
int bracket_reducer_fields(bracket_reducer* reducer, int64_t* fields);

/* The elements [*begin, *end) of a field that this rank holds, as global indices. */
int bracket_reducer_held(bracket_reducer* reducer, int64_t field, int64_t* begin, int64_t* end);

/* Elements of a field on all ranks. */
int bracket_reducer_elements(bracket_reducer* reducer, int64_t field, int64_t* elements);

/* Sets *delivers to 1 if results are delivered to this rank, else to 0. */
int bracket_reducer_delivers(bracket_reducer* reducer, int* delivers);

/* Messages that this rank has sent since the reducer was made. */
int bracket_reducer_messages_sent(bracket_reducer* reducer, int64_t* messages);

/* Ends a reducer and sets *reducer to NULL; nothing if it is NULL. A run under way is given up: the
 * others wait for it in vain. BRACKET_BAD_INPUT, and nothing done, in a function or an operator that
 * the reducer calls. */
int bracket_reducer_free(bracket_reducer** reducer);

#ifdef __cplusplus
}
#endif

#endif
