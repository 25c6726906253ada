// SPDX-License-Identifier: MIT

#include "tools/machine_with_operations.hpp"

namespace simulate_operations_test {

using namespace bracket::testing;
using Catch::Approx;
using Catch::Contains;

TEST_CASE("an addition of --t-add replaces the times of all operations, in sweeps as well") {
  const Scratch scratch;
  const Words base{
      "simulate", "--engine",  "loggops", "-N",        "8",
      "--plan",   "butterfly", "--all",   "--machine", machine_with_operations(scratch),
      "--t-add",  "3",         "--json"};
  const auto one = rows_of(cli(base + Words{"-p", "2", "--algorithm", "binned"}));
  // Four elements on each rank, 9 operations for each of three additions, a message, a combination.
  CHECK(one.at(0).at("simulated_seconds").get<double>() ==
        Catch::Approx(3 * 27 + 1 + 55 * 0.5 + 27));
  CHECK(rows_of(cli(base + Words{"--sweep", "p=1,2", "--algorithm", "binned"}))
            .at(1)
            .at("simulated_seconds") == one.at(0).at("simulated_seconds"));
}

TEST_CASE("simulate compares algorithms in one table") {
  const Scratch scratch;
  const Words base{"simulate",  "-N",       "8",         "-p",
                   "2",         "--engine", "loggops",   "--plan",
                   "butterfly", "--all",    "--machine", machine_with_operations(scratch)};
  const auto rows = rows_of(cli(base + Words{"--sweep", "algorithm=tree,binned", "--json"}));
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].at("order") == "tree");
  CHECK(rows[0].at("algorithm") == "tree");
  CHECK(rows[0].at("simulated_seconds").get<double>() == Approx(4 * 2 + 1 + 7 * 0.5 + 10));
  CHECK(rows[1].at("order") == "associative");
  CHECK(rows[1].at("algorithm") == "binned:3");
  CHECK(rows[1].at("op") == "sum");
  CHECK(rows[1].at("type") == "float64");
  CHECK(rows[1].at("simulated_seconds").get<double>() == Approx(4 * 3 + 1 + 55 * 0.5 + 100));
  CHECK_THAT(cli(base + Words{"--sweep", "algorithm=tree,binned"}).out,
             Contains("algorithm") && Contains("binned:3"));
}

TEST_CASE("several fields are folded and combined one by one, and share messages") {
  const Scratch scratch;
  const Words one{"-N",
                  "8",
                  "-p",
                  "2",
                  "--plan",
                  "butterfly",
                  "--all",
                  "--distribution",
                  "upper",
                  "--machine",
                  machine_with_operations(scratch),
                  "--json"};
  const Words base = one + Words{"--fields", "3"};
  // Three folds of four elements, a message of three numbers, and three combinations.
  const double sum = 3 * 4 * 2 + 1 + 23 * 0.5 + 3 * 10;
  const double binned = 3 * 4 * 3 + 1 + 167 * 0.5 + 3 * 100;
  const auto check = [](const Json& row, const char* key, double seconds) {
    CHECK(row.at("fields") == 3);
    CHECK(row.at("items") == 1);
    CHECK(row.at(key).get<double>() == Approx(seconds));
  };
  const auto rows =
      rows_of(cli(Words{"compare", "--predict", "--algorithm", "tree,binned"} + base));
  for (const char* key : {"loggp_seconds", "loggops_seconds"}) {
    check(rows.at(0), key, sum);
    check(rows.at(1), key, binned);
  }
  check(rows_of(cli(Words{"simulate", "--engine", "loggops"} + base)).at(0), "simulated_seconds",
        sum);
  const auto swept =
      rows_of(cli(Words{"simulate", "--engine", "loggops", "--sweep", "fields=1,3"} + one));
  REQUIRE(swept.size() == 2);
  CHECK_FALSE(swept[0].contains("fields"));
  CHECK(swept[0].at("simulated_seconds").get<double>() == Approx(4 * 2 + 1 + 7 * 0.5 + 10));
  check(swept[1], "simulated_seconds", sum);
#if BRACKET_HAS_SMPI
  const auto smpi = rows_of(cli(Words{"simulate", "--engine", "smpi"} + base)).at(0);
  CHECK(smpi.at("simulated_messages") == 2);
  CHECK(smpi.contains("result_digest"));
#endif
}

TEST_CASE("simulate takes a plan that suits the operation") {
  const Scratch scratch;
  const Words base{"simulate", "-N",        "8",
                   "-p",       "4",         "--engine",
                   "loggops",  "--machine", machine_with_operations(scratch),
                   "--json"};
  const auto plan = [&](const Words& more) {
    return rows_of(cli(base + more)).at(0).at("plan").get<std::string>();
  };
  CHECK(plan({}) == "buffered:4:64");
  CHECK(plan({"--algorithm", "binned"}) == "aggregated:2");
  CHECK(plan({"--algorithm", "binned", "--all"}) == "butterfly:1024");
  CHECK(plan({"--algorithm", "tree", "--plan", "direct"}) == "direct");
  check_refused(base + Words{"--algorithm", "binned", "--plan", "direct"}, "fixed bracketing");
}

TEST_CASE("simulate refuses operations that make no sense or have no times") {
  const Scratch scratch;
  const Words base{"simulate", "-N", "8", "-p", "2"};
  const auto loggops =
      base + Words{"--engine", "loggops", "--machine", machine_with_operations(scratch)};
  check_refused(loggops + Words{"--algorithm", "double-double"},
                "no times for double-double/sum/float64");
  check_refused(loggops + Words{"--algorithm", "binned", "--order", "tree"}, "contradicts");
  check_refused(loggops + Words{"--algorithm", "binned", "--type", "int32"}, "is for floats");
  check_refused(loggops + Words{"--algorithm", "heap"}, "unknown algorithm 'heap'");
  check_refused(loggops + Words{"--type", "int16"}, "unknown type 'int16'");
  // A machine without measured work counts floating-point operations.
  CHECK(cli(base + Words{"--engine", "loggops", "--op", "maximum", "--type", "float32"}).code == 0);
  CHECK(cli(base + Words{"--engine", "loggops", "--algorithm", "binned"}).code == 0);
}

}  // namespace simulate_operations_test
