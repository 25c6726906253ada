// SPDX-License-Identifier: MIT

#include "bracket/runtime/program_execution.hpp"

#include "bracket/runtime/reductions.hpp"
#include "bracket/support/error.hpp"
#include "support/catch.hpp"
#include "support/world.hpp"

namespace program_execution_mpi_test {

using namespace bracket;
using namespace bracket::runtime;
using testing::world;

TEST_CASE("a rank hears of a failure although the rank that fails sends it no message") {
  // Each rank sends its element to itself, so that no rank waits for another.
  const Rank self = world().rank();
  RankPart part;
  part.fold({0, 1});
  part.send(self, {{Partial(Range{0, 1})}});
  part.recv(self, {{Partial(Range{1, 2})}});
  part.join(Range{0, 1}, Range{1, 2});
  DoubleSum sum;
  sum.prepare();
  const double element = 21;
  ComputationOf<DoubleSum, Vectors<DoubleSum>> computation(sum, 1, 1, 1);
  computation.set_source({&element, 1});
  ProgramExecution execution{Communicator(MPI_COMM_WORLD)};
  const Program::Item field{{0, 1}, 2};
  execution.set_up(computation, part, {&field, 1}, {0, 1});
  execution.run();
  CHECK(*static_cast<const double*>(execution.result()) == 42);
  if (self == 0) CHECK_THROWS_WITH(execution.fail("no more"), Catch::Equals("rank 0: no more"));
  barrier(world());
  if (self == 0) return;
  std::string words;
  for (int run = 0; run < 100'000 && words.empty(); ++run) {
    words = words_of([&] { execution.run(); });
  }
  CHECK(words == "rank 0: no more");
}

}  // namespace program_execution_mpi_test
