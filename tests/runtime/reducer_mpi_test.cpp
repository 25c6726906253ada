#include "bracket/runtime/reducer.hpp"

#include <cstring>
#include <random>

#include "bracket/model/error.hpp"
#include "support/catch.hpp"
#include "support/hostile.hpp"
#include "support/reference.hpp"
#include "support/world.hpp"

using namespace bracket;
using Catch::Contains;
using testing::bits;
using testing::world;

TEST_CASE("a reducer of one field") {
  const Index count = 1000;
  const auto elements = testing::hostile_elements(testing::Hostile::cancelling, 1000, 5);
  const Range held = make_distribution("upper", count, world().size()).range(world().rank());
  const std::span<const double> own(elements.data() + held.begin,
                                    static_cast<std::size_t>(held.size()));
  Reducer<double> sum(MPI_COMM_WORLD, Layout::contiguous(held.size()));
  CHECK(bits(*sum.run(own)) == bits(testing::reduced(std::span<const double>(elements), 1,
                                                     [](double x, double y) { return x + y; })));
  for (const auto algorithm : {Algorithm::binned, Algorithm::double_double}) {
    Settings settings;
    settings.algorithm = algorithm;
    Reducer<double> other(MPI_COMM_WORLD, Layout::contiguous(held.size()), settings);
    other.run(own);
  }
  Reducer<double, MinimumLocation> least(MPI_COMM_WORLD, Layout::contiguous(held.size()));
  const auto found = *least.run(own);
  CHECK(elements[static_cast<std::size_t>(found.index)] == found.value);
  CHECK_THROWS_WITH(Reducer<double>(MPI_COMM_NULL, Layout::contiguous(1)),
                    Contains("MPI_COMM_NULL"));
}
