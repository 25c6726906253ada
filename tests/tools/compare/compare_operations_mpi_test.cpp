// SPDX-License-Identifier: MIT

#include "tools/compare/compare_rows.hpp"
#include "tools/machine_with_operations.hpp"

namespace compare_operations_mpi_test {

using namespace compare_rows;
using Catch::Approx;
using Catch::Contains;

namespace {

double seconds_of(const Json& row, const char* model) {
  return row.at(std::string(model) + "_seconds").get<double>();
}

}  // namespace

TEST_CASE("compare predicts several algorithms in one table") {
  const Scratch scratch;
  const Words base{
      "compare", "--predict",   "-N",          "8",         "-p",
      "2",       "--plan",      "butterfly",   "--all",     "--distribution",
      "upper",   "--algorithm", "tree,binned", "--machine", machine_with_operations(scratch)};
  auto rows = rows_of(cli(base + Words{"--json"}));
  take_correlations(rows);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].at("algorithm") == "tree");
  CHECK(rows[0].at("order") == "tree");
  CHECK(rows[1].at("algorithm") == "binned:3");
  CHECK(rows[1].at("order") == "associative");
  for (const char* model : {"loggp", "loggops"}) {
    CAPTURE(model);
    CHECK(seconds_of(rows[0], model) == Approx(4 * 2 + 1 + 7 * 0.5 + 10));
    CHECK(seconds_of(rows[1], model) == Approx(4 * 3 + 1 + 55 * 0.5 + 100));
  }
  CHECK(rows[0].contains("simgrid_seconds") == BRACKET_HAS_SIMGRID);
  CHECK(rows[1].contains("simgrid_seconds") == BRACKET_HAS_SIMGRID);
  CHECK_THAT(cli(base).out,
             Contains("sum of float64\n") && Contains("algorithm") && Contains("binned:3"));
}

TEST_CASE("a machine without measured times counts floating-point operations, and says so") {
  const Words base{"-N", "64", "-p", "2", "--distribution", "upper", "--json"};
  for (const Words& command :
       {Words{"compare", "--predict"}, Words{"simulate", "--engine", "loggops"}, Words{"tune"},
        Words{"count"}}) {
    CAPTURE(command);
    if (command.front() == "count") {
      CHECK_THAT(cli(command + base + Words{"--algorithm", "double-double"}).err,
                 Contains("double-double/sum/float64 takes t_add for each of its 11 "));
      continue;
    }
    const auto binned = cli(command + base + Words{"--algorithm", "binned"});
    CHECK_THAT(binned.err, Contains("binned:3/sum/float64 takes t_add for each of its 9 "));
    CHECK_THAT(cli(command + base + Words{"--type", "float32"}).err, !Contains("takes t_add"));
  }
}

TEST_CASE("compare and simulate predict an operation alike") {
  const Words what{"-N",    "1000", "-p",     "3",         "--algorithm",    "double-double",
                   "--op",  "sum",  "--type", "complex64", "--distribution", "upper",
                   "--json"};
  auto rows = rows_of(cli(Words{"compare", "--predict"} + what));
  take_correlations(rows);
  const auto simulated = rows_of(cli(Words{"simulate", "--engine", "loggops"} + what));
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].at("plan") == simulated.at(0).at("plan"));
  CHECK(seconds_of(rows[0], "loggops") == seconds_of(simulated.at(0), "simulated"));
  CHECK(rows[0].at("type") == "complex64");
}

TEST_CASE("compare measures each algorithm as run does") {
  const Words input{"--synthetic",    "999",   "--seed",        "4", "--type", "float32",
                    "--distribution", "upper", "--repetitions", "2", "--json"};
  auto rows = rows_of(cli(Words{"compare", "-p", "2", "--starts", "1", "--oversubscribe",
                                "--algorithm", "tree,binned,double-double"} +
                          input));
  take_correlations(rows);
  REQUIRE(rows.size() == 3);
  for (const Json& row : rows) {
    const std::string algorithm = row.at("algorithm");
    CAPTURE(algorithm);
    const auto run = rows_of(cli_on(2, Words{"run", "--algorithm", algorithm} + input));
    CHECK(row.at("result_bits") == run.at(0).at("result_bits"));
    CHECK(row.at("messages") == run.at(0).at("messages"));
    CHECK(row.at("measured_seconds").get<double>() > 0);
  }
  CHECK(rows[0].at("result_bits") != rows[2].at("result_bits"));
}

TEST_CASE("compare reads the rows of each algorithm from one file") {
  const Scratch scratch;
  const auto row = [](const char* algorithm, const char* order, double seconds) {
    return Json{{"elements", 1000},           {"ranks", 4},
                {"distribution", "upper"},    {"plan", "butterfly:1024"},
                {"collective", "all-reduce"}, {"order", order},
                {"algorithm", algorithm},     {"op", "sum"},
                {"type", "float64"},          {"measured_seconds", seconds}}
               .dump() +
           "\n";
  };
  const auto file = make_file(scratch.path() / "there.jsonl",
                              row("tree", "tree", 1e-3) + row("binned:3", "associative", 3e-3) +
                                  row("binned:2", "associative", 2e-3));
  auto rows = rows_of(cli(thousand + Words{"--measured", file, "-p", "4", "--all", "--plan",
                                           "butterfly", "--algorithm", "binned,tree,binned:2"}));
  take_correlations(rows);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].at("measured_seconds") == 3e-3);
  CHECK(rows[1].at("measured_seconds") == 1e-3);
  CHECK(rows[2].at("measured_seconds") == 2e-3);
}

TEST_CASE("compare has baselines beside reproducible sums") {
  auto rows = rows_of(cli(Words{"compare",
                                "--synthetic",
                                "999",
                                "-p",
                                "2",
                                "--starts",
                                "1",
                                "--oversubscribe",
                                "--algorithm",
                                "tree,irreproducible,accumulate",
                                "--plan",
                                "buffered",
                                "--distribution",
                                "upper",
                                "--repetitions",
                                "2",
                                "--t-add",
                                "3e-9",
                                "--latency",
                                "7e-6",
                                "--overhead",
                                "0",
                                "--gap",
                                "0",
                                "--gap-per-byte",
                                "0",
                                "--json"}));
  take_correlations(rows);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].at("plan") == "buffered:4:64");
  for (std::size_t i = 1; i < 3; ++i) {
    const Json& row = rows[i];
    CHECK(row.at("algorithm") == (i == 1 ? "irreproducible" : "accumulate"));
    CHECK(row.at("plan") == "native");
    CHECK(row.at("measured_seconds").get<double>() > 0);
    // The larger share is 500 elements. One message brings the sum of the other.
    for (const char* model : {"loggp", "loggops"}) {
      CHECK(seconds_of(row, model) == Approx(499 * 3e-9 + 7e-6 + 3e-9));
    }
    CHECK(row.contains("simgrid_seconds") == BRACKET_HAS_SIMGRID);
  }
}

TEST_CASE("predictions say that those of pre-rounded are for its second reduction") {
  const char* const words = "Messages and predictions are those of the second";
  const Words more{"-N", "8", "-p", "2", "--algorithm", "pre-rounded"};
  CHECK_THAT(cli(Words{"compare", "--predict"} + more).err, Contains(words));
  CHECK_THAT(cli(Words{"tune", "--all"} + more).err, Contains(words));
  CHECK_THAT(cli(Words{"count"} + more).err, Contains(words));
  const auto run = cli({"run", "--synthetic", "8", "--algorithm", "pre-rounded"});
  CHECK(run.code == 0);
  CHECK_THAT(run.err, !Contains(words));
}

TEST_CASE("compare refuses operations that make no sense, have no times, or cannot be measured") {
  const Scratch scratch;
  const Words base{"compare", "-N", "8", "-p", "2"};
  check_refused(base + Words{"--algorithm", "tree,heap"}, "unknown algorithm 'heap'");
  check_refused(base + Words{"--algorithm", "tree,tree"}, "tree");
  check_refused(base + Words{"--algorithm", "tree,"}, "--algorithm");
  check_refused(base + Words{"--algorithm", "tree,binned", "--order", "tree"}, "contradicts");
  check_refused(base + Words{"--algorithm", "binned", "--plan", "direct"}, "fixed bracketing");
  check_refused(base + Words{"--type", "float32", "--plan", "native"}, "native");
  check_refused(base + Words{"--algorithm", "binned", "--items", "3"}, "--items 3");
  check_refused(base + Words{"--algorithm", "binned", "--items", "3", "--scatter"}, "--predict");
  check_refused(base + Words{"--algorithm", "binned", "--fit"}, "--fit");
  check_refused(base + Words{"--algorithm", "accumulate", "--order", "tree"}, "has no order");
  check_refused(base + Words{"--algorithm", "accumulate", "--items", "3", "--predict"},
                "single numbers");
  check_refused(base + Words{"--algorithm", "tree,pre-rounded"},
                "pre-rounded:2 has two reductions");
  const Words tune{"tune", "-N", "3", "-p", "2"};
  check_refused(tune + Words{"--algorithm", "accumulate"}, "takes no baselines");
  check_refused(tune + Words{"--order", "explicit:0:0"}, "tune takes no explicit orders");
  check_refused(tune + Words{"--order", "order.json"}, "tune takes no explicit orders");
  check_refused(
      base + Words{"--algorithm", "double-double", "--machine", machine_with_operations(scratch)},
      "no times for double-double/sum/float64");
}

}  // namespace compare_operations_mpi_test
