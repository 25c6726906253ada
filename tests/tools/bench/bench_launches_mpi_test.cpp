// SPDX-License-Identifier: MIT

#include <sys/stat.h>

#include <cstdint>

#include "tools/cli.hpp"

namespace bench_launches_mpi_test {

#if BRACKET_HAS_MPI

using namespace bracket::testing;
using Catch::Approx;
using Catch::Contains;

namespace {

const Words fast{"--json", "--repetitions", "2", "--warm-up", "1"};
const Words butterfly{"bench", "-N", "1000", "--candidates", "butterfly"};

}  // namespace

TEST_CASE("bench starts the launcher for each number of ranks, and shows the speedup") {
  const auto rows = rows_of(cli(butterfly + fast + Words{"-p", "2,1", "--oversubscribe"}));
  REQUIRE(rows.size() == 4);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CAPTURE(rows[i].dump());
    CHECK(rows[i].at("ranks") == (i < 2 ? 1 : 2));
    CHECK(rows[i].at("candidate") == (i % 2 == 0 ? "irreproducible" : "butterfly"));
    const double on_one = rows[i % 2].at("measured_seconds");
    CHECK(rows[i].at("speedup").get<double>() ==
          Approx(on_one / rows[i].at("measured_seconds").get<double>()));
  }
  CHECK(rows[1].at("result_bits") == rows[3].at("result_bits"));
  const auto table =
      cli(butterfly + Words{"--repetitions", "2", "--warm-up", "1", "-p1,2", "--oversubscribe"});
  CHECK(table.code == 0);
  CHECK_THAT(table.out, Contains("speedup over 1 rank") && Contains("1st percentile"));
}

TEST_CASE("bench adds the elements of a file") {
  const Scratch scratch;
  std::string bytes;
  for (const double number : {1e16, 1.0, -1e16, 3.0, 0.1}) {
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  const auto file = make_file(scratch.path() / "few.f64", bytes);
  const auto rows = rows_of(cli_on(2, Words{"bench", file, "--candidates", "direct"} + fast));
  REQUIRE(rows.size() == 2);
  for (const auto& row : rows) {
    CHECK(row.at("elements") == 5);
    CHECK_THAT(row.at("input").get<std::string>(), Contains("few.f64"));
    CHECK_FALSE(row.contains("seed"));
  }
  CHECK(rows[1].at("result_bits") ==
        rows_of(cli(Words{"run", file} + fast)).at(0).at("result_bits"));
  check_refused(Words{"bench", file, "-N", "5"} + fast, "-N");
  check_refused(Words{"bench", (scratch.path() / "none.f64").string()} + fast, "none.f64");
}

TEST_CASE("bench compares distributions, each with the irreproducible sum over it") {
  const auto rows =
      rows_of(cli_on(2, butterfly + fast + Words{"--distribution", "upper,power2,counts:999:1"}));
  REQUIRE(rows.size() == 6);
  const char* const names[] = {"upper", "power2", "counts:999:1"};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CAPTURE(rows[i].dump());
    CHECK(rows[i].at("distribution") == names[i / 2]);
    const double irreproducible = rows[i - i % 2].at("measured_seconds");
    CHECK(rows[i].at("ratio").get<double>() ==
          Approx(rows[i].at("measured_seconds").get<double>() / irreproducible));
  }
  for (const std::size_t i : {std::size_t{3}, std::size_t{5}}) {
    CHECK(rows[i].at("result_bits") == rows[1].at("result_bits"));
  }
}

TEST_CASE("bench refuses launches that make no sense") {
  check_refused(butterfly + Words{"-p", "0"}, "-p must be at least 1");
  check_refused(butterfly + Words{"-p", "100000"}, "--oversubscribe");
  check_refused(butterfly + Words{"--launcher", "mpiexec"}, "--launcher requires");
  check_refused(butterfly + Words{"-p", "1", "--launcher", "no-such-launcher"}, "no-such-launcher");
  check_refused(butterfly + Words{"-p", "1", "--gues"}, "--gues");
  check_refused(butterfly + Words{"-p", "1", "-p", "1"}, "1 is given twice");
  check_refused(butterfly + Words{"-p", "1", "--samples"}, "--samples requires --json");
  const Scratch scratch;
  const auto pipe = (scratch.path() / "pipe.f64").string();
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  check_refused({"bench", pipe, "-p", "1,2", "--oversubscribe"}, "not a pipe");
  // Launchers that do not start the program.
  check_refused(butterfly + Words{"-p", "1", "--launcher", "true"}, "printed no row");
  for (const char* output : {"1", "[]", "{}", "{\"ranks\":1}", "words"}) {
    const auto launcher = std::string("printf ") + output + "\\n {ranks}";
    check_refused(butterfly + Words{"-p", "1", "--launcher", launcher}, "the output of `printf");
  }
  check_refused(cli_on(2, butterfly + Words{"-p", "2"}), "rank of a launch");
}

#endif

}  // namespace bench_launches_mpi_test
