/* Every code, with its words, on every rank. */

#include "check.h"

static int create(MPI_Comm communicator, int type, int op, const bracket_field* field,
                  const bracket_settings* settings, bracket_reducer** reducer) {
  return bracket_reducer_create(communicator, type, op, field, 1, settings, reducer);
}

static bracket_reducer* make_sum(int64_t count) {
  const bracket_field field = {{1, &count, NULL, NULL, NULL}, NULL, NULL};
  bracket_reducer* sum = NULL;
  CHECK_OK(create(MPI_COMM_WORLD, BRACKET_FLOAT64, BRACKET_SUM, &field, NULL, &sum));
  return sum;
}

/* What is wrong on the last rank reaches all. */
static void test_creation(void) {
  const int wrong = rank == ranks - 1;
  char who[32] = "";
  if (ranks > 1) sprintf(who, "rank %d: ", ranks - 1);
  char words[200];
  const int64_t five = 5, six = 6, minus = -1;
  const bracket_field good = {{1, &five, NULL, NULL, NULL}, NULL, NULL};
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
              BRACKET_COLLECTIVE, "0 fields: there is at least one");
  sprintf(words, "%sthe place of the reducer is NULL", who);
  CHECK_FAILS(
      create(MPI_COMM_WORLD, BRACKET_FLOAT64, BRACKET_SUM, &good, NULL, wrong ? NULL : &sum),
      BRACKET_COLLECTIVE, words);
  CHECK_FAILS(create(MPI_COMM_WORLD, wrong ? 256 : BRACKET_FLOAT64, BRACKET_SUM, &good, NULL, &sum),
              BRACKET_COLLECTIVE, "there is no type of number 256");
  CHECK_FAILS(create(MPI_COMM_WORLD, BRACKET_FLOAT64, wrong ? -1 : BRACKET_SUM, &good, NULL, &sum),
              BRACKET_COLLECTIVE, "there is no operator of number -1");
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
  const bracket_field field = {{1, &five, NULL, NULL, NULL}, NULL, NULL};
  bracket_reducer* sum = NULL;
  const struct {
    int algorithm, root, bins, threads;
    const char *plan, *kernel, *words;
  } cases[] = {
      {5, -1, 3, 1, NULL, NULL, "there is no algorithm of number 5"},
      {BRACKET_TREE, -2, 3, 1, NULL, NULL, "root -2 is no rank"},
      {BRACKET_TREE, 1000, 3, 1, NULL, NULL, "root 1000 is no rank"},
      {BRACKET_BINNED, -1, 9, 1, NULL, NULL, "9 bins: there are 1 to 8"},
      {BRACKET_TREE, -1, 3, 0, NULL, NULL, "0 threads"},
      {BRACKET_TREE, -1, 3, 1, "nonsense", NULL, "nonsense"},
      {BRACKET_TREE, -1, 3, 1, NULL, "abacus", "abacus"},
      {BRACKET_INTEGER, -1, 3, 1, NULL, NULL, "the algorithm integer is not for float64"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    bracket_settings settings;
    CHECK_OK(bracket_settings_default(&settings));
    CHECK(settings.root == -1 && settings.plan == NULL && settings.bins == 3);
    settings.algorithm = cases[i].algorithm;
    settings.root = cases[i].root;
    settings.bins = cases[i].bins;
    settings.threads = cases[i].threads;
    settings.plan = cases[i].plan;
    settings.kernel = cases[i].kernel;
    CHECK_FAILS(create(MPI_COMM_WORLD, BRACKET_FLOAT64, BRACKET_SUM, &field, &settings, &sum),
                BRACKET_COLLECTIVE, cases[i].words);
  }
  CHECK_FAILS(bracket_settings_default(NULL), BRACKET_BAD_INPUT,
              "the place of the settings is NULL");
}

/* A refused run tells the others, and no further one is possible. */
static void test_runs(void) {
  const double numbers[] = {1, 2};
  const bracket_arrays arrays = {numbers, NULL}, missing = {NULL, NULL};
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

/* What is refused on this rank alone leaves the run as it is. */
static void test_refused_here(void) {
  const double number = 1;
  const bracket_arrays arrays = {&number, NULL};
  double result = 0;
  int complete = 0;
  int64_t a = 0, b = 0;
  bracket_reducer* sum = make_sum(1);
  /* The others begin later: so long the first rank's run is under way. */
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
  const bracket_field scalar = {{0, NULL, NULL, NULL, NULL}, NULL, NULL};
  bracket_settings settings;
  CHECK_OK(bracket_settings_default(&settings));
  settings.checked = 1;
  bracket_reducer* product = NULL;
  CHECK_OK(create(MPI_COMM_WORLD, BRACKET_INT32, BRACKET_PRODUCT, &scalar, &settings, &product));
  const int32_t large = INT32_MAX, one = 1;
  int32_t result = 0;
  const bracket_arrays arrays = {&large, NULL}, ones = {&one, NULL};
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
  test_runs();
  test_refused_here();
  test_checked();
}
