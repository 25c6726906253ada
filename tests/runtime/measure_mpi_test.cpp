#include "bracket/runtime/measure.hpp"

#include <unistd.h>

#include "bracket/model/error.hpp"
#include "support/catch.hpp"

using namespace bracket;

TEST_CASE("median and interval are order statistics") {
  std::vector<double> samples;
  for (int i = 20; i >= 1; --i) samples.push_back(i);
  // Tables of the sign test: for n = 20 the 6th and the 15th value bound the median at 95 %.
  const auto summary = summarize(samples);
  CHECK(summary.repetitions == 20);
  CHECK(summary.median == 10.5);
  CHECK(summary.low == 6);
  CHECK(summary.high == 15);
  // n = 10: 2nd and 9th; n = 6: 1st and 6th; below that the extremes stand in.
  const auto interval = [](int n) {
    std::vector<double> values;
    for (int i = 1; i <= n; ++i) values.push_back(i);
    const auto found = summarize(values);
    return std::pair(found.low, found.high);
  };
  CHECK(interval(10) == std::pair(2.0, 9.0));
  CHECK(interval(6) == std::pair(1.0, 6.0));
  CHECK(interval(3) == std::pair(1.0, 3.0));
  CHECK(interval(1) == std::pair(1.0, 1.0));
  CHECK(interval(100) == std::pair(40.0, 61.0));
  CHECK_THROWS_AS(summarize({}), Error);
}

TEST_CASE("a repetition takes as long as its slowest rank, on every rank alike") {
  const Communicator world(MPI_COMM_WORLD);
  int calls = 0;
  const auto seconds = time_repetitions(world, 2, 3, [&] {
    ++calls;
    if (world.rank() == world.size() - 1) usleep(3000);
  });
  CHECK(calls == 5);
  REQUIRE(seconds.size() == 3);
  for (const double taken : seconds) CHECK(taken >= 0.003);
  auto least = seconds;
  MPI_Allreduce(MPI_IN_PLACE, least.data(), 3, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  CHECK(least == seconds);
}

TEST_CASE("the environment names processor, library and cores") {
  const Communicator world(MPI_COMM_WORLD);
  const auto found = environment(world);
  CHECK(found.ranks == world.size());
  CHECK(found.ranks_on_host == world.size());
  CHECK(found.cores_available >= 1);
  CHECK(found.oversubscribed() == (world.size() > found.cores_available));
  CHECK_FALSE(found.mpi_library.empty());
  CHECK_FALSE(found.compiler.empty());
}
