// SPDX-License-Identifier: MIT

#include <cmath>

#include "tools/cli.hpp"

namespace calibrate_command_mpi_test {

using namespace bracket::testing;
using Catch::Approx;
using Catch::Contains;

namespace {

/// Seconds: latency 10, overhead 2, start 5, join 3; folds of up to 1000 elements, 1 for each
/// element.
std::string made_up_machine(const Scratch& scratch) {
  return make_file(scratch.path() / "made-up.json", R"({
    "format": "bracket-machine", "version": 1, "name": "m", "source": "made up",
    "latency_seconds": 10, "overhead_seconds": 2, "gap_seconds": 0, "gap_seconds_per_byte": 0,
    "overhead_seconds_per_byte": 0, "seconds_per_addition": 77, "eager_bytes": null,
    "work": {"start_seconds": 5, "seconds_per_join": 3,
             "folds": [{"elements": 1, "seconds": 1}, {"elements": 1000, "seconds": 1000},
                       {"elements": 2000, "seconds": 4000}]}})");
}

double first(const char* key, const Words& arguments) {
  return rows_of(cli(arguments)).at(0).at(key).get<double>();
}

}  // namespace

TEST_CASE("count and tune take a machine: a message's whole way, and its folds of a share") {
  const Scratch scratch;
  const Words machine{"--machine", made_up_machine(scratch)};
  const Words size{"--json", "-N", "1024", "-p", "2"};
  const auto score = [&](const std::string& command, const Words& more) {
    return first(command == "tune" ? "plan_score_seconds" : "score_seconds",
                 Words{command} + size + more);
  };
  // One message, and 512 elements of one second each.
  CHECK(score("count", machine) == Approx(14 + 512));
  CHECK(score("tune", machine) == Approx(14 + 512));
  CHECK(score("count", machine + Words{"--t-send", "1"}) == Approx(1 + 512));
  CHECK(score("count", machine + Words{"--t-add", "3"}) == Approx(14 + 3 * 512));
  CHECK(score("count", Words{"--t-add", "3", "--t-send", "1"} + machine) == Approx(1 + 3 * 512));
  CHECK(score("tune", Words{"--t-add", "3", "--t-send", "1"} + machine) == Approx(1 + 3 * 512));
  // Four items: a share of 2048 numbers takes two seconds for each number.
  CHECK(score("count", machine + Words{"--items", "4", "--plan", "direct"}) ==
        Approx(14 + 2 * 4 * 512));
  check_refused(Words{"count", "-N", "9", "-p", "2", "--machine", "none.json"}, "none.json");
  check_refused(Words{"tune", "-N", "9", "-p", "2", "--machine", "none.json"}, "none.json");
}

TEST_CASE("compare takes all of a machine, and hands all of it on") {
  const Scratch scratch;
  const Words machine{"--machine", made_up_machine(scratch)};
  const Words predict{"compare", "--json", "--predict",      "-N",   "1024", "-p", "2",
                      "--plan",  "direct", "--distribution", "upper"};
  const auto row = rows_of(cli(predict + machine)).at(0);
  const double expected = 5 + 512 + 2 + 10 + 2 + 3;
  CHECK(row.at("loggp_seconds").get<double>() == Approx(expected));
  CHECK(row.at("loggops_seconds").get<double>() == Approx(expected));
#if BRACKET_HAS_SIMGRID
  CHECK(row.at("simgrid_seconds").get<double>() == Approx(expected));
#endif
  CHECK(row.at("score_seconds").get<double>() == Approx(14 + 512));
  CHECK(row.at("seconds_per_addition").get<double>() == Approx(1));
  const auto other = rows_of(cli(predict + machine + Words{"--t-add", "7", "--t-send", "9"})).at(0);
  CHECK(other.at("loggp_seconds").get<double>() == Approx(511 * 7 + 14 + 7));
  CHECK(other.at("score_seconds").get<double>() == Approx(9 + 512 * 7));
}

#if BRACKET_HAS_MPI

TEST_CASE("calibrate writes a machine that the models take") {
  const Scratch scratch;
  const auto file = (scratch.path() / "here.json").string();
  Setting setting;
  setting.limit = std::chrono::seconds(180);
  const auto outcome = cli_on(
      2, {"calibrate", "--quick", "--name", "here", "-o", file, "--operations", "double-double"},
      setting);
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK(names_in(scratch.path()) == Words{"here.json"});
  for (const char* part : {"round trip [us]", "L = ", "off by", "elements", "scalar",
                           "one combination", "double-double/sum/float64"}) {
    CHECK_THAT(outcome.out, Contains(part));
  }

  const auto json = Json::parse(content_of(file));
  CHECK(json.at("name") == "here");
  CHECK_THAT(json.at("source").get<std::string>(), Contains("calibrate --quick on 2 ranks"));
  CHECK(json.at("messages").size() >= 8);
  for (const auto& row : json.at("messages")) CHECK(row.at("round_trip_seconds") > 0);
  CHECK(json.at("kernels").at(0).at("name") == "scalar");
  CHECK(json.at("residuals").at("round_trip") >= 0);
  const double apart = json.at("rounds").at("apart");
  CHECK(apart >= 0);
  const int rounds = json.at("rounds").at("count");
  CHECK(rounds >= 3);
  CHECK(rounds <= 5);
  CHECK(occurrences(outcome.err, "was not quiet") == (apart > 0.2 ? 1 : 0));
  CHECK(json.at("environment").contains("mpi_library"));

  const Words machine{"--machine", file};
  const Words size{"--json", "-N", "100000", "-p", "2"};
  const auto plausible = [](double seconds) { return seconds > 1e-7 && seconds < 1; };
  CHECK(plausible(first("score_seconds", Words{"count"} + size + machine)));
  CHECK(plausible(first("plan_score_seconds", Words{"tune"} + size + machine)));
  CHECK(plausible(
      first("simulated_seconds", Words{"simulate", "--engine", "loggops"} + size + machine)));
  const auto compared = rows_of(cli(Words{"compare", "--predict"} + size + machine));
  CHECK(plausible(compared.at(0).at("loggp_seconds").get<double>()));
}

TEST_CASE("calibrate --json says on one line what a file would have") {
  Setting setting;
  setting.limit = std::chrono::seconds(180);
  const auto rows = rows_of(cli_on(
      2, {"calibrate", "--quick", "--json", "--kernel", "portable", "--operations", "float64"},
      setting));
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].at("format") == "bracket-machine");
  CHECK_THAT(rows[0].at("source").get<std::string>(), Contains("kernel portable"));
  CHECK(rows[0].at("work").at("folds").size() >= 20);
  CHECK_FALSE(rows[0].contains("operations"));  // the sum of float64 is in "work"
}

TEST_CASE("calibrate refuses what it cannot do, before it measures") {
  const Scratch scratch;
  check_refused({"calibrate"}, "calibrate needs two ranks: mpiexec -n 2 bracket calibrate");
  check_refused({"calibrate", "-p", "2"}, "mpiexec -n 2 bracket calibrate");
  for (const Words& wrong :
       {Words{"-o", (scratch.path() / "none" / "x.json").string()}, Words{"-o", scratch.path()},
        Words{"--kernel", "none"}, Words{"--operations", "summe"},
        Words{"--operations", "binned/int32"}, Words{"--operations", "binned,,float32"}}) {
    CAPTURE(wrong);
    const auto outcome = cli_on(2, Words{"calibrate"} + wrong);
    CHECK(outcome.code == 2);
    CHECK(outcome.out == "");
    CHECK(occurrences(outcome.err, "bracket: ") == 1);
  }
  CHECK(names_in(scratch.path()).empty());
}

#endif

}  // namespace calibrate_command_mpi_test
