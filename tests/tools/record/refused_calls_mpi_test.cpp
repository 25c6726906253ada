// SPDX-License-Identifier: MIT

#include "tools/record/recorded.hpp"

namespace refused_calls_mpi_test {

using namespace bracket::testing;

namespace {

Outcome run_with(const Words& environment) {
  return run_process(Words{BRACKET_MPIEXEC, BRACKET_MPIEXEC_NUMPROC_FLAG, "2", "env"} +
                         environment + Words{BRACKET_RECORD_REFUSED_C},
                     with_mpi({}));
}

}  // namespace

TEST_CASE("record and reproducible let MPI refuse wrong arguments itself") {
  const auto alone = run_with({});
  INFO(alone.err);
  REQUIRE(alone.code == 0);
  CHECK(occurrences(alone.out, "an error\n") >= 14);
  CHECK(alone.out.ends_with("sum: 3\n"));

  const auto reproducible = run_with({"LD_PRELOAD=" BRACKET_REPRODUCIBLE});
  INFO(reproducible.err);
  CHECK(reproducible.code == 0);
  CHECK(reproducible.out == alone.out);

  const Scratch scratch;
  const auto recorded = record_on(2, scratch.path() / "run", {BRACKET_RECORD_REFUSED_C});
  INFO(recorded.err);
  CHECK(recorded.code == 0);
  CHECK(recorded.out == alone.out);
  const auto trace = bracket::record::read_trace(scratch.path() / "run");
  for (const auto& rank : trace.ranks) {
    // Without those that have a null handle.
    REQUIRE(rank.reductions.size() >= 11);
    for (const auto& reduction : rank.reductions) {
      const bool last = &reduction == &rank.reductions.back();
      CHECK(reduction.failed == !last);
      CHECK(reduction.output.present == last);
    }
    // A type that is not committed, and one buffer in place of both.
    CHECK_FALSE(rank.reductions[0].input.present);
    CHECK_FALSE(rank.reductions[2].input.present);
    CHECK(rank.reductions.back().input.present);
  }
}

}  // namespace refused_calls_mpi_test
