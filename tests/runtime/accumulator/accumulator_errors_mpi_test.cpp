// SPDX-License-Identifier: MIT

#include <cstdint>
#include <limits>
#include <utility>

#include "bracket/runtime/accumulator.hpp"
#include "bracket/support/error.hpp"
#include "support/catch.hpp"
#include "support/world.hpp"

namespace accumulator_errors_mpi_test {

using namespace bracket;
using Catch::Contains;
using Catch::Equals;
using testing::world;

namespace {

Settings by(std::string algorithm) {
  Settings settings;
  settings.algorithm = std::move(algorithm);
  return settings;
}

}  // namespace

TEST_CASE("settings that an accumulator refuses") {
  CHECK_THROWS_WITH(Accumulator<double>(by("sequential")),
                    Equals("an accumulator cannot compute sequential of float64: use tree, "
                           "double-double, stochastic or binned"));
  CHECK_THROWS_AS(Accumulator<double>(by("chunked-tree:4")), Error);
  CHECK_THROWS_AS(Accumulator<double>(by("associative")), Error);
  CHECK_THROWS_AS(Accumulator<double>(by("unknown")), Error);
  CHECK_THROWS_AS(Accumulator<std::int64_t>(by("binned")), Error);
  CHECK_THROWS_WITH(Accumulator<double>({}, -1),
                    Equals("the first global index is -1: it must be at least 0"));
  Settings settings;
  settings.memory = "cuda";
  CHECK_THROWS_WITH(Accumulator<double>(settings), Contains("in the memory of the host"));
  CHECK_NOTHROW(Accumulator<std::int64_t>(by("sequential")));  // the bits do not depend on it
}

TEST_CASE("accumulators that do not fit together") {
  Accumulator<double> sum;
  sum.add(1);
  Accumulator<double> behind({}, 2);
  sum.add(behind);  // without elements
  behind.add(3);
  CHECK_THROWS_WITH(sum.add(behind), Equals("the other accumulator begins at the global index 2, "
                                            "this one ends at 1: add them in their sequence"));
  CHECK_THROWS_WITH(behind.value(), Equals("the elements begin at the global index 2: only those "
                                           "from 0 on have a value of their own"));
  CHECK_THROWS_WITH(sum.add(sum), Contains("is added to itself"));
  CHECK_THROWS_WITH(sum.add(Accumulator<double>(by("binned"))), Contains("different types"));
  sum.add(2);
  sum.add(behind);
  CHECK(sum.count() == 3);
  CHECK(sum.value() == 6);
  Accumulator<double> last({}, std::numeric_limits<Index>::max());
  CHECK_THROWS_AS(last.add(std::vector<double>(300)), Error);
}

TEST_CASE("ranks whose elements overlap or have a gap are told so") {
  const Rank size = world().size();
  const Rank rank = world().rank();
  Accumulator<double> sum({}, rank == size - 1 ? 5 : 0);
  if (rank == size - 1) sum.add(1);
  CHECK_THROWS_AS(sum.reduce(MPI_COMM_WORLD), CollectiveError);
  CHECK_THROWS_WITH(sum.reduce(MPI_COMM_WORLD),
                    Contains("begins at the global index 5, the elements before it end at 0"));
  if (size == 1) return;
  sum.reset();
  sum.add(1);
  CHECK_THROWS_WITH(sum.reduce(MPI_COMM_WORLD),
                    Contains("the accumulator of rank 1 begins at the global index 0, the elements "
                             "before it end at 1"));
  sum.reset(rank);
  sum.add(1);
  CHECK(sum.reduce(MPI_COMM_WORLD).value() == size);
}

TEST_CASE("ranks that do not ask for the same are told in what they differ") {
  if (world().size() == 1) return;
  const bool other = world().rank() == world().size() - 1;
  Accumulator<double> sum(by(other ? "binned:2" : "binned:4"));
  CHECK_THROWS_AS(sum.reduce(MPI_COMM_WORLD), CollectiveError);
  Accumulator<double> mixed(by(other ? "tree" : "binned"));
  CHECK_THROWS_WITH(mixed.reduce(MPI_COMM_WORLD), Equals("the ranks ask for different algorithms"));
  Accumulator<double> wide;
  Accumulator<float> narrow;
  if (other) {
    CHECK_THROWS_WITH(narrow.reduce(MPI_COMM_WORLD), Contains("different types"));
  } else {
    CHECK_THROWS_WITH(wide.reduce(MPI_COMM_WORLD), Contains("different types"));
  }
  Settings gathering;
  gathering.plan = "gather";
  Accumulator<double> gathered(gathering, world().rank() * Index{8});
  gathered.add(std::vector<double>(8));
  CHECK_THROWS_WITH(gathered.reduce(MPI_COMM_WORLD),
                    Contains("which an accumulator does not keep"));
  Settings settings;
  settings.root = world().size();
  Accumulator<double> rooted(settings);
  CHECK_THROWS_WITH(rooted.reduce(MPI_COMM_WORLD), Contains("is no rank"));
}

TEST_CASE("integers that do not fit, and a communicator that is none") {
  Settings settings;
  settings.checked = true;
  Accumulator<std::int64_t> sum(settings);
  sum.add(std::numeric_limits<std::int64_t>::max());
  if (world().size() > 1) {
    CHECK_THROWS_AS(sum.reduce(MPI_COMM_WORLD), Error);
  }
  sum.add(1);
  CHECK_THROWS_AS(sum.value(), Error);
  CHECK_THROWS_AS(sum.reduce(MPI_COMM_WORLD), Error);
  sum.add(-1);
  if (world().size() == 1) {
    CHECK(sum.reduce(MPI_COMM_WORLD).value() == std::numeric_limits<std::int64_t>::max());
  }
  CHECK_THROWS_AS(sum.reduce(MPI_COMM_NULL), Error);
}

}  // namespace accumulator_errors_mpi_test
