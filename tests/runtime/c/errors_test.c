/* SPDX-License-Identifier: MIT */

/* Every error code and its message, on every rank. */

#include "check.h"

static int create(MPI_Comm communicator, int type, int op, const bracket_field* field,
                  const bracket_settings* settings, bracket_reducer** reducer) {
  return bracket_reducer_create(communicator, type, op, field, 1, settings, reducer);
}

static bracket_reducer* make_sum(int64_t count) {
  const bracket_field field = {.elements = {1, &count, NULL, NULL, NULL}};
  bracket_reducer* sum = NULL;
  CHECK_OK(create(MPI_COMM_WORLD, BRACKET_FLOAT64, BRACKET_SUM, &field, NULL, &sum));
  return sum;
}

/* An error on the last rank reaches all ranks. */
static void test_creation(void) {
  const int wrong = rank == ranks - 1;
  char who[32] = "";
  if (ranks > 1) sprintf(who, "rank %d: ", ranks - 1);
  char words[200];
  const int64_t five = 5, six = 6, minus = -1;
  const bracket_field good = {.elements = {1, &five, NULL, NULL, NULL}};
  bracket_reducer* sum = NULL;

  bracket_field bad = good;
  bad.elements.end = &six;
  sprintf(words, "%sfield 0: dimension 0: the index range [0,6) lies outside of the array's [0,5)",
          who);
  CHECK_FAILS(
      create(MPI_COMM_WORLD, BRACKET_FLOAT64, BRACKET_SUM, wrong ? &bad : &good, NULL, &sum),
      BRACKET_COLLECTIVE, words);
  CHECK(strcmp(bracket_message(), words) == 0);
  bad = good;
  bad.elements.extents = &minus;
  CHECK_FAILS(
      create(MPI_COMM_WORLD, BRACKET_FLOAT64, BRACKET_SUM, wrong ? &bad : &good, NULL, &sum),
      BRACKET_COLLECTIVE, "the extent -1 is negative");
  bad.elements.extents = NULL;
  sprintf(words, "%sfield 0: the list of extents is NULL", who);
  CHECK_FAILS(
      create(MPI_COMM_WORLD, BRACKET_FLOAT64, BRACKET_SUM, wrong ? &bad : &good, NULL, &sum),
      BRACKET_COLLECTIVE, words);
  bad = good;
  bad.elements.dimensions = 6;
  CHECK_FAILS(
      create(MPI_COMM_WORLD, BRACKET_FLOAT64, BRACKET_SUM, wrong ? &bad : &good, NULL, &sum),
      BRACKET_COLLECTIVE, "an array of 6 dimensions: there may be 0 to 5");
  int64_t* const boundaries = calloc((size_t)ranks + 1, sizeof *boundaries);
  boundaries[ranks] = -7;
  bad = good;
  bad.distribution = boundaries;
  CHECK_FAILS(
      create(MPI_COMM_WORLD, BRACKET_FLOAT64, BRACKET_SUM, wrong ? &bad : &good, NULL, &sum),
      BRACKET_COLLECTIVE, who);
  free(boundaries);

  sprintf(words, "%sthe list of fields is NULL", who);
  CHECK_FAILS(
      create(MPI_COMM_WORLD, BRACKET_FLOAT64, BRACKET_SUM, wrong ? NULL : &good, NULL, &sum),
      BRACKET_COLLECTIVE, words);
  CHECK_FAILS(bracket_reducer_create(MPI_COMM_WORLD, BRACKET_FLOAT64, BRACKET_SUM, &good,
                                     wrong ? 0 : 1, NULL, &sum),
              BRACKET_COLLECTIVE, "0 fields: give at least one");
  sprintf(words, "%sthe place of the reducer is NULL", who);
  CHECK_FAILS(
      create(MPI_COMM_WORLD, BRACKET_FLOAT64, BRACKET_SUM, &good, NULL, wrong ? NULL : &sum),
      BRACKET_COLLECTIVE, words);
  CHECK_FAILS(create(MPI_COMM_WORLD, wrong ? 256 : BRACKET_FLOAT64, BRACKET_SUM, &good, NULL, &sum),
              BRACKET_COLLECTIVE, "the number 256 is not a type");
  CHECK_FAILS(create(MPI_COMM_WORLD, BRACKET_FLOAT64, wrong ? -1 : BRACKET_SUM, &good, NULL, &sum),
              BRACKET_COLLECTIVE, "the number -1 is not an operator");
  CHECK_FAILS(create(MPI_COMM_WORLD, BRACKET_SUM, BRACKET_FLOAT64, &good, NULL, &sum),
              BRACKET_COLLECTIVE, "BRACKET_SUM is an operator, a type was expected");
  CHECK_FAILS(create(MPI_COMM_WORLD, BRACKET_FLOAT64, BRACKET_INT64, &good, NULL, &sum),
              BRACKET_COLLECTIVE, "BRACKET_INT64 is a type, an operator was expected");
  CHECK_FAILS(create(MPI_COMM_WORLD, 0, BRACKET_SUM, &good, NULL, &sum), BRACKET_COLLECTIVE,
              "the number 0 is not a type");
  CHECK_FAILS(create(MPI_COMM_WORLD, BRACKET_COMPLEX64, BRACKET_MINIMUM, &good, NULL, &sum),
              BRACKET_COLLECTIVE, "complex numbers have no minimum");
  CHECK(strncmp(bracket_message(), "rank", 4) != 0);
  if (ranks > 1) {
    CHECK_FAILS(create(MPI_COMM_WORLD, wrong ? BRACKET_FLOAT32 : BRACKET_FLOAT64, BRACKET_SUM,
                       &good, NULL, &sum),
                BRACKET_COLLECTIVE, "the ranks ask for elements of different types");
  }
  if (wrong) {
    CHECK_FAILS(bracket_reducer_refuse_create(MPI_COMM_WORLD, "the caller's words"),
                BRACKET_COLLECTIVE, "the caller's words");
  } else {
    CHECK_FAILS(create(MPI_COMM_WORLD, BRACKET_FLOAT64, BRACKET_SUM, &good, NULL, &sum),
                BRACKET_COLLECTIVE, "the caller's words");
  }
  sum = (bracket_reducer*)&bad;
  CHECK_FAILS(create(MPI_COMM_NULL, BRACKET_FLOAT64, BRACKET_SUM, &good, NULL, &sum),
              BRACKET_BAD_INPUT, "MPI_COMM_NULL");
  CHECK(sum == NULL);
  double result = 0;
  CHECK_FAILS(bracket_sum_double(MPI_COMM_NULL, &result, 1, &result), BRACKET_BAD_INPUT,
              "MPI_COMM_NULL");
  CHECK_FAILS(bracket_sum_double(MPI_COMM_WORLD, &result, -1, &result), BRACKET_COLLECTIVE,
              "negative");
  CHECK_FAILS(bracket_sum_double(MPI_COMM_WORLD, NULL, 1, &result), BRACKET_COLLECTIVE,
              "no array of elements");
}

static void test_settings(void) {
  const int64_t five = 5;
  const bracket_field field = {.elements = {1, &five, NULL, NULL, NULL}};
  bracket_reducer* sum = NULL;
  const struct {
    bracket_settings settings;
    const char* words;
  } cases[] = {
      {{.algorithm = "kahan"}, "unknown algorithm 'kahan'; known: tree, chunked-tree:K"},
      {{.rooted = 1, .root = -2}, "root -2 is no rank"},
      {{.rooted = 1, .root = 1000}, "root 1000 is no rank"},
      {{.root = 1}, "root is 1 without rooted: set both, or neither"},
      {{.algorithm = "binned:9"}, "'binned:9': the number of bins K must be at most 8"},
      {{.algorithm = "binned:0"}, "number of bins K"},
      {{.algorithm = "chunked-tree:-1"}, "chunk size K"},
      {{.algorithm = "chunked-tree"}, "needs the chunk size"},
      {{.threads = -1}, "-1 threads"},
      {{.plan = "nonsense"}, "nonsense"},
      {{.kernel = "abacus"}, "abacus"},
      {{.memory = "gpu"}, "memory: there is none called gpu; known: host, cuda or emulated"},
      {{.algorithm = "associative"}, "the bits of the sum of float64 depend on the bracketing"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    bracket_settings settings = cases[i].settings;
    settings.bytes = sizeof settings;
    CHECK_FAILS(create(MPI_COMM_WORLD, BRACKET_FLOAT64, BRACKET_SUM, &field, &settings, &sum),
                BRACKET_COLLECTIVE, cases[i].words);
  }
}

/* Sizes of settings in programs compiled with other versions. */
static void test_sizes_of_settings(void) {
  const int64_t five = 5;
  const bracket_field field = {.elements = {1, &five, NULL, NULL, NULL}};
  bracket_reducer* sum = NULL;
  const int64_t sizes[] = {0, -1, 8, (int64_t)offsetof(bracket_settings, memory) - 1, 5000, INT64_MAX};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    char words[200];
    sprintf(words, "bytes of the settings is %lld: set it to sizeof(bracket_settings), %d",
            (long long)sizes[i], (int)sizeof(bracket_settings));
    const bracket_settings settings = {.bytes = sizes[i]};
    CHECK_FAILS(create(MPI_COMM_WORLD, BRACKET_FLOAT64, BRACKET_SUM, &field, &settings, &sum),
                BRACKET_COLLECTIVE, words);
  }
  struct {
    bracket_settings known;
    int later[3];
  } settings = {{.bytes = sizeof settings, .algorithm = "binned"}, {0, 0, 0}};
  CHECK_OK(create(MPI_COMM_WORLD, BRACKET_FLOAT64, BRACKET_SUM, &field, &settings.known, &sum));
  CHECK_OK(bracket_reducer_free(&sum));
  settings.later[1] = 1;
  CHECK_FAILS(create(MPI_COMM_WORLD, BRACKET_FLOAT64, BRACKET_SUM, &field, &settings.known, &sum),
              BRACKET_COLLECTIVE, "the settings have a member set that this libbracket");
}

/* A member that is 0 has its default, also if an initialiser does not name it. */
static void test_defaults(void) {
  const int64_t many = 1000;
  const bracket_field field = {.elements = {1, &many, NULL, NULL, NULL}};
  const bracket_settings zero = {.bytes = sizeof zero},
                         tree = {.bytes = sizeof tree, .algorithm = "tree"},
                         binned = {.bytes = sizeof binned, .algorithm = "binned"},
                         three_bins = {.bytes = sizeof three_bins, .algorithm = "binned:3"};
  const bracket_settings* const alike[][2] = {
      {NULL, &zero}, {&zero, &tree}, {&three_bins, &binned}};
  double* const numbers = malloc((size_t)many * sizeof *numbers);
  for (int64_t i = 0; i < many; ++i) numbers[i] = 1.0 / (double)(i + rank + 1);
  const bracket_arrays arrays = {.elements = numbers};
  for (size_t k = 0; k < sizeof alike / sizeof *alike; ++k) {
    double results[2] = {-1, -2};
    for (int i = 0; i < 2; ++i) {
      bracket_reducer* sum = NULL;
      int delivers = 0;
      CHECK_OK(create(MPI_COMM_WORLD, BRACKET_FLOAT64, BRACKET_SUM, &field, alike[k][i], &sum));
      CHECK_OK(bracket_reducer_delivers(sum, &delivers));
      CHECK(delivers);
      CHECK_OK(bracket_reducer_run(sum, &arrays, &results[i]));
      CHECK_OK(bracket_reducer_free(&sum));
    }
    CHECK(memcmp(&results[0], &results[1], sizeof *results) == 0);
  }
  free(numbers);
}

/* A refused run informs the other ranks, and the reducer cannot run again. */
static void test_runs(void) {
  const double numbers[] = {1, 2};
  const bracket_arrays arrays = {.elements = numbers}, missing = {.elements = NULL};
  const int wrong = rank == ranks - 1;
  double result = 0;
  for (int what = 0; what < 6; ++what) {
    bracket_reducer* sum = make_sum(2);
    CHECK_OK(bracket_reducer_run(sum, &arrays, &result));
    CHECK(result == 3 * ranks);
    const int64_t three = 3;
    const bracket_layout longer = {1, &three, NULL, NULL, NULL};
    const char* const words[] = {"the list of arrays is NULL", "no array of elements",
                                 "room for 0 result(s)",       "the elements are not those",
                                 "there is no field 1",        "as the caller says"};
    if (!wrong) {
      CHECK_FAILS(bracket_reducer_run(sum, &arrays, &result), BRACKET_COLLECTIVE, words[what]);
    } else if (what == 0) {
      CHECK_FAILS(bracket_reducer_run(sum, NULL, &result), BRACKET_COLLECTIVE, words[what]);
    } else if (what == 1) {
      CHECK_FAILS(bracket_reducer_run(sum, &missing, &result), BRACKET_COLLECTIVE, words[what]);
    } else if (what == 2) {
      CHECK_FAILS(bracket_reducer_run(sum, &arrays, NULL), BRACKET_COLLECTIVE, words[what]);
    } else if (what == 3) {
      CHECK_FAILS(bracket_reducer_move(sum, 0, &longer, NULL), BRACKET_COLLECTIVE, words[what]);
    } else if (what == 4) {
      CHECK_FAILS(bracket_reducer_move(sum, 1, &longer, NULL), BRACKET_COLLECTIVE, words[what]);
    } else {
      CHECK_FAILS(bracket_reducer_refuse(sum, words[what]), BRACKET_COLLECTIVE, words[what]);
    }
    char who[32];
    sprintf(who, "rank %d: ", ranks - 1);
    CHECK(strncmp(bracket_message(), who, strlen(who)) == 0);
    CHECK(bracket_reducer_run(sum, &arrays, &result) != BRACKET_OK);
    CHECK_OK(bracket_reducer_free(&sum));
  }
}

static bracket_reducer* freed_inside;

static void make_and_free(const void* context, int64_t first, int64_t count, void* into) {
  (void)context;
  (void)first;
  CHECK_FAILS(bracket_reducer_free(&freed_inside), BRACKET_BAD_INPUT, "in a call of its own");
  for (int64_t i = 0; i < count; ++i) ((double*)into)[i] = 1;
}

static void test_freed_inside(void) {
  const bracket_arrays arrays = {.elements = &freed_inside, .make = make_and_free};
  double result = 0;
  freed_inside = make_sum(3);
  bracket_reducer* const sum = freed_inside;
  CHECK_OK(bracket_reducer_run(sum, &arrays, &result));
  CHECK(result == 3 * ranks);
  CHECK(freed_inside == sum);
  CHECK_OK(bracket_reducer_free(&freed_inside));
}

/* An error that is refused on this rank alone does not disturb the run. */
static void test_refused_here(void) {
  const double number = 1;
  const bracket_arrays arrays = {.elements = &number};
  double result = 0;
  int complete = 0;
  int64_t a = 0, b = 0;
  bracket_reducer* sum = make_sum(1);
  /* The others begin later, so the first rank's run stays under way until then. */
  if (rank > 0) MPI_Barrier(MPI_COMM_WORLD);
  CHECK_OK(bracket_reducer_start(sum, &arrays, &result));
  if (rank == 0 && ranks > 1) {
    CHECK_FAILS(bracket_reducer_start(sum, &arrays, &result), BRACKET_BAD_INPUT, "under way");
    CHECK_FAILS(bracket_reducer_run(sum, NULL, &result), BRACKET_BAD_INPUT, "under way");
    CHECK_FAILS(bracket_reducer_move(sum, 7, NULL, NULL), BRACKET_BAD_INPUT, "under way");
    CHECK_FAILS(bracket_reducer_test(sum, NULL), BRACKET_BAD_INPUT,
                "the place of the answer is NULL");
  }
  if (rank == 0) MPI_Barrier(MPI_COMM_WORLD);
  CHECK_OK(bracket_reducer_wait(sum));
  CHECK(result == ranks);
  CHECK_FAILS(bracket_reducer_held(sum, 1, &a, &b), BRACKET_BAD_INPUT, "there is no field 1");
  CHECK_FAILS(bracket_reducer_held(sum, 0, &a, NULL), BRACKET_BAD_INPUT, "NULL");
  CHECK_FAILS(bracket_reducer_elements(sum, -1, &a), BRACKET_BAD_INPUT, "there is no field -1");
  CHECK_FAILS(bracket_reducer_elements(sum, 0, NULL), BRACKET_BAD_INPUT, "NULL");
  CHECK_FAILS(bracket_reducer_delivers(sum, NULL), BRACKET_BAD_INPUT, "NULL");
  CHECK_FAILS(bracket_reducer_messages_sent(sum, NULL), BRACKET_BAD_INPUT, "NULL");
  CHECK_FAILS(bracket_reducer_fields(sum, NULL), BRACKET_BAD_INPUT, "NULL");
  CHECK_OK(bracket_reducer_free(&sum));
  CHECK(sum == NULL);
  CHECK_OK(bracket_reducer_free(&sum));
  CHECK_FAILS(bracket_reducer_free(NULL), BRACKET_BAD_INPUT, "NULL");

  /* A freed handle is NULL. */
  CHECK_FAILS(bracket_reducer_run(sum, &arrays, &result), BRACKET_BAD_INPUT, "the reducer is NULL");
  CHECK_FAILS(bracket_reducer_start(sum, &arrays, &result), BRACKET_BAD_INPUT,
              "the reducer is NULL");
  CHECK_FAILS(bracket_reducer_test(sum, &complete), BRACKET_BAD_INPUT, "the reducer is NULL");
  CHECK_FAILS(bracket_reducer_wait(sum), BRACKET_BAD_INPUT, "the reducer is NULL");
  CHECK_FAILS(bracket_reducer_move(sum, 0, NULL, NULL), BRACKET_BAD_INPUT, "the reducer is NULL");
  CHECK_FAILS(bracket_reducer_refuse(sum, "words"), BRACKET_BAD_INPUT, "the reducer is NULL");
  CHECK_FAILS(bracket_reducer_fields(sum, &a), BRACKET_BAD_INPUT, "the reducer is NULL");
  CHECK_FAILS(bracket_reducer_held(sum, 0, &a, &b), BRACKET_BAD_INPUT, "the reducer is NULL");
  CHECK_FAILS(bracket_reducer_elements(sum, 0, &a), BRACKET_BAD_INPUT, "the reducer is NULL");
  CHECK_FAILS(bracket_reducer_delivers(sum, &complete), BRACKET_BAD_INPUT, "the reducer is NULL");
  CHECK_FAILS(bracket_reducer_messages_sent(sum, &a), BRACKET_BAD_INPUT, "the reducer is NULL");
}

static void test_checked(void) {
  const bracket_field scalar = {.elements = {0, NULL, NULL, NULL, NULL}};
  const bracket_settings settings = {.bytes = sizeof settings, .checked = 1};
  bracket_reducer* product = NULL;
  CHECK_OK(create(MPI_COMM_WORLD, BRACKET_INT32, BRACKET_PRODUCT, &scalar, &settings, &product));
  const int32_t large = INT32_MAX, one = 1;
  int32_t result = 0;
  const bracket_arrays arrays = {.elements = &large}, ones = {.elements = &one};
  if (ranks > 1) {
    CHECK_FAILS(bracket_reducer_run(product, &arrays, &result), BRACKET_BAD_INPUT, "int32");
  }
  CHECK_OK(bracket_reducer_run(product, &ones, &result));
  CHECK(result == 1);
  CHECK_OK(bracket_reducer_free(&product));
}

void test_errors(void) {
  test_creation();
  test_settings();
  test_sizes_of_settings();
  test_defaults();
  test_runs();
  test_refused_here();
  test_freed_inside();
  test_checked();
}
