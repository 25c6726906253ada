// SPDX-License-Identifier: MIT

#include "bracket/support/file.hpp"
#include "tools/cli.hpp"

namespace simulate_loggops_test {

using namespace bracket::testing;
using Catch::Approx;
using Catch::Contains;

TEST_CASE("simulate: the engine loggops") {
  // The terms all differ: o + 7 O, o + L, g before the next message, 7 G, o.
  const Words one{"simulate",
                  "-N",
                  "2",
                  "-p",
                  "2",
                  "--json",
                  "--engine",
                  "loggops",
                  "--latency",
                  "1000",
                  "--t-add",
                  "0.5",
                  "--gap",
                  "7",
                  "--overhead",
                  "10",
                  "--gap-per-byte",
                  "3",
                  "--finish",
                  "--overhead-per-byte",
                  "2"};
  const auto row = rows_of(cli(one)).at(0);
  CHECK(row.at("engine") == "loggops");
  CHECK(row.at("simulated_seconds").get<double>() == Approx(10 + 1000 + 10 + 7 * 3 + 0.5));
  CHECK(row.at("finish_seconds").at(1).get<double>() == Approx(10 + 7 * 2));
  CHECK(row.at("messages") == 1);
  // Not eager: the sender waits until the receiver takes the message.
  const auto late = rows_of(cli(one + Words{"--eager", "7"})).at(0);
  CHECK(late.at("finish_seconds").at(1).get<double>() == Approx(10 + 1000));
}

TEST_CASE("simulate: a machine from a file, and figures in place of its own") {
  const Scratch scratch;
  const auto file =
      make_file(scratch.path() / "m.json",
                R"({"format": "bracket-machine", "version": 1, "name": "m", "source": "made up",
          "latency_seconds": 1000, "overhead_seconds": 0, "gap_seconds": 0,
          "gap_seconds_per_byte": 0, "overhead_seconds_per_byte": 0,
          "seconds_per_addition": 5, "eager_bytes": null})");
  const auto seconds = [&](const Words& words) {
    const Words base{"simulate", "-N", "2", "-p", "2", "--json", "--engine", "loggops"};
    return rows_of(cli(base + words)).at(0).at("simulated_seconds").get<double>();
  };
  CHECK(seconds({"--machine", file}) == Approx(1005));
  CHECK(seconds({"--machine", file, "--t-add", "1"}) == Approx(1001));
  CHECK(seconds({"--latency", "10", "--machine", file}) == Approx(15));
  check_refused({"simulate", "-N", "2", "-p", "2", "--machine", "none.json"}, "none.json");
}

TEST_CASE("simulate: a million ranks") {
  const auto row =
      rows_of(cli({"simulate",   "-N",     "1048576",  "-p",     "1048576",        "--engine",
                   "loggops",    "--plan", "binomial", "--json", "--latency",      "1e-6",
                   "--overhead", "0",      "--gap",    "0",      "--gap-per-byte", "0",
                   "--t-add",    "0"}))
          .at(0);
  CHECK(row.at("messages") == 1048575);
  CHECK(row.at("simulated_seconds").get<double>() == Approx(20e-6));
}

TEST_CASE("simulate writes what other tools read") {
  const Scratch scratch;
  const auto at = [&](const char* name) { return (scratch.path() / name).string(); };
  const Words base{"simulate", "-N", "100", "-p", "4"};
  const Words outputs{"--goal",     at("a.goal"), "--chrome-trace",
                      at("a.json"), "--paje",     at("a.paje")};
  REQUIRE(cli(base + Words{"--engine", "loggops"} + outputs).code == 0);
  CHECK_THAT(bracket::support::read_file(at("a.goal")),
             Contains("num_ranks 4\n") && Contains("rank 3 {"));
  CHECK(nlohmann::json::parse(bracket::support::read_file(at("a.json"))).at("traceEvents").size() >
        4);
  CHECK_THAT(bracket::support::read_file(at("a.paje")),
             Contains("%EventDef") && Contains("\"rank 3\""));
  check_refused(base + Words{"--engine", "loggops,simgrid"} + outputs,
                "--chrome-trace requires one --engine, not 2");
  check_refused(base + Words{"--engine", "loggops", "--plan", "direct,gather"} + outputs,
                "one plan");
  check_refused(base + Words{"--engine", "loggops", "--goal", at("no/such/folder")},
                "no/such/folder");
  check_refused(base + Words{"--engine", "magic"}, "unknown engine 'magic'; known: simgrid");
  check_refused(base + Words{"--engine", "loggops", "--eager", "-1"},
                "--eager must not be negative");
  check_refused(base + Words{"--engine", "loggops", "--eager", "1e400"}, "--eager");
  check_refused(base + Words{"--engine", "loggops", "--eager", "nan"}, "--eager");
  check_refused(base + Words{"--engine", "loggops", "--seed", "2"},
                "--seed requires --late, --slow");
#if BRACKET_HAS_SIMGRID
  check_refused(base + Words{"--engine", "simgrid", "--eager", "9"},
                "--eager requires --engine loggops or smpi, or --goal: simgrid has no eager limit");
  CHECK(cli(base + Words{"--engine", "simgrid,loggops", "--eager", "9"}).code == 0);
  CHECK(cli(base + Words{"--engine", "simgrid", "--eager", "9", "--goal", at("b.goal")}).code == 0);
#endif
  check_refused(base + Words{"--engine", "loggops", "--platform", "p.xml"},
                "--platform requires --engine simgrid or smpi: loggops has no links");
  check_refused(base + Words{"--engine", "loggops", "--watts", "1:2"},
                "--watts requires --engine simgrid: loggops has no energy");
  check_refused(base + Words{"--engine", "loggops", "--link-watts", "1:2"},
                "--link-watts requires --engine simgrid: loggops has no energy");
  check_refused(base + Words{"--engine", "loggops", "--latency", "1e9"},
                "the latency is 1e+09 seconds");
}

TEST_CASE("simulate: ranks on nodes") {
  const Scratch scratch;
  const Words four{
      "simulate",       "-N",     "4",         "-p",  "4",          "--json", "--engine", "loggops",
      "--plan",         "gather", "--latency", "100", "--overhead", "0",      "--gap",    "0",
      "--gap-per-byte", "0",      "--t-add",   "0"};
  const auto makespan = [&](const Words& words) {
    return rows_of(cli(four + words)).at(0).at("simulated_seconds").get<double>();
  };
  CHECK(makespan({}) == Approx(100));
  CHECK(makespan({"--cores", "2"}) == Approx(100));
  CHECK(makespan({"--cores", "4", "--node-latency", "3"}) == Approx(3));
  CHECK(makespan({"--cores", "2", "--node-latency", "3"}) == Approx(100));
  CHECK(makespan({"--cores", "2", "--node-latency", "300"}) == Approx(300));
  const auto nodes = make_file(scratch.path() / "nodes.txt", "5\n1\n0\n2\n");
  CHECK(makespan({"--cores", "2", "--node-latency", "300", "--placement", nodes}) == Approx(100));
  const auto row = rows_of(cli(four + Words{"--cores", "2", "--placement", "round-robin",
                                            "--node-latency", "3", "--node-gap", "2"}))
                       .at(0);
  CHECK(row.at("cores") == 2);
  CHECK(row.at("placement") == "round-robin");
  CHECK(row.at("node_latency_seconds") == 3);
  CHECK(row.at("node_overhead_seconds") == 0);
  CHECK(row.at("node_gap_seconds") == 2);
  check_refused(four + Words{"--placement", "diagonal"}, "unknown placement 'diagonal'");
  check_refused(four + Words{"--cores", "0"}, "--cores must be at least 1");
  check_refused(four + Words{"--cores", "1", "--node-gap", "1", "--placement",
                             make_file(scratch.path() / "same.txt", "0 0 1 2")},
                "rank 1 is one too many for '0'");
  check_refused(four + Words{"--node-gap", "-1"}, "--node-gap must not be negative");
}

TEST_CASE("simulate: ranks of one node fold as slowly as the machine's file says") {
  const Scratch scratch;
  auto machine = Json::parse(content_of(BRACKET_MACHINES "/thesis.json"));
  const auto fold = [](double seconds) { return Json{{{"elements", 1}, {"seconds", seconds}}}; };
  machine["version"] = 2;
  machine["work"] = {
      {"start_seconds", 0},
      {"seconds_per_join", 0},
      {"folds", fold(1)},
      {"folds_together", {{{"ranks", 2}, {"folds", fold(2)}}, {{"ranks", 4}, {"folds", fold(5)}}}}};
  const Words four{"simulate",  "-N",
                   "400",       "-p",
                   "4",         "--json",
                   "--machine", make_file(scratch.path() / "machine.json", machine.dump())};
  for (const std::string engine : {"loggops", "simgrid"}) {
    if (engine == "simgrid" && !BRACKET_HAS_SIMGRID) continue;
    const auto seconds = [&](const Words& words) {
      return rows_of(cli(four + Words{"--engine", engine} + words))
          .at(0)
          .at("simulated_seconds")
          .get<double>();
    };
    CHECK(seconds({}) == Approx(500).epsilon(1e-6));
    CHECK(seconds({"--cores", "4"}) == Approx(500).epsilon(1e-6));
    CHECK(seconds({"--cores", "2"}) == Approx(200).epsilon(1e-6));
    CHECK(seconds({"--placement", "round-robin"}) == Approx(100).epsilon(1e-6));
  }
}

TEST_CASE("simulate: ranks that are late, slow or disturbed") {
  const Words two{"simulate",       "-N",      "2",         "-p", "2",          "--json",
                  "--engine",       "loggops", "--latency", "0",  "--overhead", "0",
                  "--gap-per-byte", "0",       "--t-add",   "1"};
  const auto makespan = [&](const Words& words) {
    return rows_of(cli(two + words)).at(0).at("simulated_seconds").get<double>();
  };
  CHECK(makespan({}) == Approx(1));
  CHECK(makespan({"--late", "constant:4"}) == Approx(5));
  CHECK(makespan({"--slow", "constant:4"}) == Approx(5));
  CHECK(makespan({"--noise", "constant:4", "--slow", "constant:1"}) == Approx(10));
  const Words noise{"--noise", "uniform:0:1"};
  CHECK(makespan(noise) == makespan(noise));
  CHECK(makespan(noise) != makespan(noise + Words{"--seed", "2"}));
  const auto row = rows_of(cli(two + noise + Words{"--seed", "2"})).at(0);
  CHECK(row.at("noise") == "uniform:0:1");
  CHECK(row.at("seed") == 2);
  CHECK_FALSE(row.contains("late"));
  check_refused(two + Words{"--late", "sometimes"}, "unknown random quantity 'sometimes'");
}

}  // namespace simulate_loggops_test
