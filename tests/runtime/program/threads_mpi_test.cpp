// SPDX-License-Identifier: MIT

#include <random>

#include "support/catch.hpp"
#include "support/hostile.hpp"
#include "support/planned_reduction.hpp"
#include "support/reference.hpp"
#include "support/world.hpp"

namespace threads_mpi_test {

using namespace bracket;
using namespace bracket::runtime;
using testing::bits;
using testing::own_part;
using testing::PlannedReduction;
using testing::world;

TEST_CASE("ranks with any number of threads give the serial bits") {
  std::mt19937_64 random(7);
  const std::size_t count = 100003;
  const auto elements = testing::hostile_elements(testing::Hostile::cancelling, count, 7);
  for (const std::size_t chunk : {1, 16}) {
    const auto order =
        make_order(chunk == 1 ? "tree" : "chunked-tree:16", static_cast<Index>(count));
    const double expected =
        testing::reduced(std::span<const double>(elements), chunk, std::plus<double>());
    const auto distribution = testing::random_distribution(static_cast<Index>(count), random);
    const auto own = own_part(elements, distribution);
    for (const int threads : {1, 2, 3}) {
      // Ranks may have different numbers of threads.
      const int mine = 1 + (threads + world().rank()) % 3;
      for (const auto* const name : {"direct", "buffered", "aggregated", "butterfly"}) {
        PlannedReduction<> reducer(MPI_COMM_WORLD, order, distribution, *make_plan(name),
                                   Delivery::to_all(), {}, mine);
        CHECK(bits(reducer.run(own).value()) == bits(expected));
      }
      PlannedReduction<> native(MPI_COMM_WORLD, Problem{order, distribution, Delivery::to_all()},
                                *make_plan("native"), {}, mine);
      CHECK(bits(native.run(own).value()) == bits(expected));
    }
  }
}

TEST_CASE("no threads on one rank are refused on every rank") {
  const auto order = make_order("tree", 100);
  const auto distribution = make_distribution("upper", 100, world().size());
  CHECK_THROWS_WITH(PlannedReduction<>(MPI_COMM_WORLD, order, distribution, *make_plan("direct"),
                                       {}, {}, world().rank() == 0 ? 0 : 1),
                    Catch::Contains("0 threads"));
}

}  // namespace threads_mpi_test
