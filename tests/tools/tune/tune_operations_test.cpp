// SPDX-License-Identifier: MIT

#include <set>

#include "bracket/model/plan_file.hpp"
#include "tools/machine_with_operations.hpp"

namespace tune_operations_test {

using namespace bracket::testing;
using Catch::Approx;
using Catch::Contains;

TEST_CASE("the score has the time of the operation") {
  const Scratch scratch;
  const Words base{"count", "-N",     "8",         "-p",
                   "2",     "--json", "--machine", machine_with_operations(scratch)};
  const auto score = [&](const Words& more) {
    return rows_of(cli(base + more)).at(0).at("score_seconds").get<double>();
  };
  CHECK(score({}) == Approx(1 + 4 * 2));
  CHECK(score({"--type", "float32"}) == Approx(1 + 4 * 1));
  const auto binned =
      rows_of(cli(base + Words{"--algorithm", "binned", "--plan", "aggregated"})).at(0);
  CHECK(binned.at("order") == "associative");
  CHECK(binned.at("algorithm") == "binned:3");
  CHECK(binned.at("messages") == 1);
  CHECK(binned.at("seconds_per_addition").get<double>() == Approx(3));
  // No tree has PE-intersecting nodes.
  CHECK_FALSE(binned.contains("score_seconds"));
  CHECK(score({"--sweep", "type=float32,float64"}) == Approx(1 + 4 * 1));
  check_refused(base + Words{"--type", "int16"}, "unknown type 'int16'");
  check_refused(base + Words{"--algorithm", "binned:2"}, "no times for binned:2/sum/float64");
}

TEST_CASE("tune writes a plan file for an operation that the others take") {
  const Scratch scratch;
  const auto file = (scratch.path() / "plan.json").string();
  const Words size{"-N", "1000", "-p", "4", "--all"};
  const auto rows = rows_of(
      cli(Words{"tune", "--json", "--algorithm", "binned", "--objective", "loggops", "--budget",
                "5", "--plan-file", file, "--machine", machine_with_operations(scratch)} +
          size));
  CHECK(rows.at(0).at("algorithm") == "binned:3");
  CHECK(rows.at(0).at("order") == "associative");
  const std::string plan = rows.at(0).at("plan");
  CHECK_THAT(plan, Catch::StartsWith("butterfly"));
  const auto tuned = bracket::read_plan_file(file);
  REQUIRE(tuned.operation);
  CHECK(tuned.operation->spec() == "binned:3/sum/float64");
  CHECK(tuned.operation_for(1000, 4).algorithm.spec() == "binned:3");

  const auto simulated =
      rows_of(cli({"simulate", "--json", "--engine", "loggops", "--plan-file", file})).at(0);
  CHECK(simulated.at("algorithm") == "binned:3");
  CHECK(simulated.at("simulated_seconds") == rows.at(0).at("loggops_seconds"));
  const auto compared = rows_of(cli({"compare", "--predict", "--json", "--plan-file", file}));
  CHECK(compared.at(0).at("loggops_seconds") == rows.at(0).at("loggops_seconds"));
  // The default plan, with the same operation.
  CHECK(compared.at(1).at("algorithm") == "binned:3");
  CHECK(compared.at(1).at("distribution") == "upper");
  CHECK(rows_of(cli({"count", "--json", "--plan-file", file})).at(0).at("algorithm") == "binned:3");
  for (const char* command : {"simulate", "compare", "count"}) {
    CAPTURE(command);
    check_refused({command, "--plan-file", file, "--type", "float32"},
                  "--type: " + file + " is for binned:3/sum/float64: leave it out");
  }
#if BRACKET_HAS_MPI
  const Words input{"--synthetic", "1000", "--json", "--repetitions", "1", "--warm-up", "0"};
  const auto run = [&](const Words& more) {
    return rows_of(cli_on(4, Words{"run"} + input + more)).at(0);
  };
  const auto reduced = run({"--plan-file", file});
  CHECK(reduced.at("algorithm") == "binned:3");
  CHECK(reduced.at("plan") == plan);
  CHECK(reduced.at("result_bits") == run({"--algorithm", "binned"}).at("result_bits"));
  check_refused(cli_on(4, Words{"run", "--plan-file", file, "--op", "maximum"} + input),
                "--op: " + file + " is for binned:3/sum/float64: leave it out");
#endif
}

TEST_CASE("tune writes a plan file for several fields that the others take") {
  const Scratch scratch;
  const auto file = (scratch.path() / "plan.json").string();
  const auto tuned =
      rows_of(cli({"tune", "-N", "1000", "-p", "2", "--all", "--fields", "4", "--json",
                   "--objective", "loggops", "--budget", "5", "--plan-file", file, "--machine",
                   machine_with_operations(scratch)}));
  CHECK(tuned.at(0).at("fields") == 4);
  CHECK(bracket::read_plan_file(file).items == bracket::Items::of_fields(4));
  const auto simulated =
      rows_of(cli({"simulate", "--json", "--engine", "loggops", "--plan-file", file})).at(0);
  CHECK(simulated.at("fields") == 4);
  CHECK(simulated.at("simulated_seconds") == tuned.at(0).at("loggops_seconds"));
  check_refused({"simulate", "--fields", "2", "--plan-file", file}, "--plan-file");
#if BRACKET_HAS_MPI
  const Words input{"--synthetic", "1000", "--json", "--repetitions", "1", "--warm-up", "0"};
  const auto run = [&](const Words& more) {
    return rows_of(cli_on(2, Words{"run"} + input + more)).at(0);
  };
  const auto reduced = run({"--plan-file", file});
  CHECK(reduced.at("fields") == 4);
  CHECK(reduced.at("plan") == tuned.at(0).at("plan"));
  CHECK(reduced.at("result_digest") == run({"--fields", "4"}).at("result_digest"));
  const auto compared = rows_of(cli({"compare", "--json", "--plan-file", file, "--repetitions", "1",
                                     "--starts", "1", "--warm-up", "0"}));
  CHECK(compared.at(0).at("fields") == 4);
  CHECK(compared.at(0).at("measured_seconds") > 0);
#endif
}

TEST_CASE("tune tries the orders of plain arithmetic, and only the order of another") {
  const Scratch scratch;
  const Words base{"tune", "--json", "-N",        "64",
                   "-p",   "4",      "--machine", machine_with_operations(scratch)};
  const auto orders = [&](const Words& more) {
    std::set<std::string> seen;
    for (const Json& row : rows_of(cli(base + more))) {
      seen.insert(row.at("order").get<std::string>() + " " +
                  row.at("algorithm").get<std::string>());
    }
    return seen;
  };
  CHECK(orders({"--type", "float32"}) == std::set<std::string>{"tree tree"});
  CHECK(orders({"--type", "float32", "--order", "tree,chunked-tree:4"}).size() == 2);
  CHECK(orders({"--algorithm", "binned"}) == std::set<std::string>{"associative binned:3"});
  check_refused(base + Words{"--algorithm", "binned", "--order", "tree"}, "contradicts");
  check_refused(base + Words{"--algorithm", "binned", "--plan", "direct"}, "fixed bracketing");
  check_refused(base + Words{"--algorithm", "binned", "--front"}, "requires tree");
  check_refused(base + Words{"--algorithm", "double-double"}, "no times for double-double");
}

}  // namespace tune_operations_test
