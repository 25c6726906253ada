// SPDX-License-Identifier: MIT

#include "tools/cli.hpp"

namespace report_mpi_test {

using namespace bracket::testing;
using Catch::Contains;

namespace {

Setting in_folder(const std::filesystem::path& folder) {
  Setting setting;
  setting.directory = folder;
  return setting;
}

const Words benchmark{"bench", "-N", "100", "--candidates", "direct", "--repetitions", "3"};

}  // namespace

TEST_CASE("rank 0 writes the report of bench, with the command of all ranks") {
  if (!BRACKET_HAS_MPI) return;
  const Scratch scratch;
  const auto outcome =
      cli_on(2, benchmark + Words{"--report", "r.html"}, in_folder(scratch.path()));
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK_THAT(content_of(scratch.path() / "r.html"),
             Contains("mpiexec -n 2 bracket bench -N 100 --candidates direct --repetitions 3 "
                      "--report r.html") &&
                 Contains("for 2 ranks on a host"));
}

TEST_CASE("all ranks leave if rank 0 cannot write the report") {
  if (!BRACKET_HAS_MPI) return;
  const Scratch scratch;
  for (const Words& command : {benchmark, Words{"calibrate", "--quick"}}) {
    const auto outcome =
        cli_on(2, command + Words{"--report", "none/r.html"}, in_folder(scratch.path()));
    CHECK(outcome.code == 2);
    CHECK(outcome.out == "");
    CHECK_THAT(outcome.err, Contains("none/r.html: cannot be written"));
    CHECK(occurrences(outcome.err, "bracket: ") == 1);
  }
  CHECK(names_in(scratch.path()).empty());
}

TEST_CASE("ranks that share a sweep write one report") {
  if (!BRACKET_HAS_MPI) return;
  const Scratch scratch;
  const auto outcome = cli_on(2,
                              {"simulate", "-N", "1000", "--engine", "loggops", "--sweep",
                               "p=2,4,8,16", "--report", "r.html"},
                              in_folder(scratch.path()));
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK(names_in(scratch.path()) == Words{"r.html"});
  CHECK_THAT(content_of(scratch.path() / "r.html"), Contains("Makespan over ranks p"));
}

}  // namespace report_mpi_test
