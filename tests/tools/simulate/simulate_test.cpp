#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "bracket/support/file.hpp"
#include "tools/cli.hpp"

namespace simulate_test {

using namespace bracket::testing;
using Catch::Approx;
using Catch::Contains;

#if BRACKET_HAS_SIMGRID

namespace {

/// Two hosts and a link with a latency of one second.
constexpr const char* two_hosts =
    "<?xml version='1.0'?>\n"
    "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
    "<platform version=\"4.1\"><zone id='z' routing='Full'>"
    "<host id='a' speed='1Gf'/><host id='b' speed='1Gf'/>"
    "<link id='l' latency='1s' bandwidth='8Bps'/>"
    "<route src='a' dst='b'><link_ctn id='l'/></route>"
    "</zone></platform>\n";

// 2 elements on 2 ranks: rank 1 sends one value, rank 0 adds once.
const Words one_message{"simulate", "-N", "2", "-p", "2", "--overhead", "0", "--gap", "0"};

}  // namespace

TEST_CASE("simulate gives what is easily worked out by hand") {
  const auto rows =
      rows_of(cli(one_message + Words{"--json", "--latency", "3", "--gap-per-byte", "0", "--t-add",
                                      "0.5", "--finish", "--plan", "direct,aggregated"}));
  REQUIRE(rows.size() == 2);
  for (const auto& row : rows) {
    CHECK(row.at("simulated_seconds").get<double>() == Approx(3.5));
    CHECK(row.at("simulated_messages") == 1);
    CHECK(row.at("messages") == 1);
    CHECK(row.at("finish_seconds").size() == 2);
    CHECK(row.at("finish_seconds")[0].get<double>() == Approx(3.5));
    CHECK(row.at("finish_seconds")[1].get<double>() == Approx(0).margin(1e-12));
  }
  CHECK(rows[0].at("plan") == "direct");
  CHECK(rows[1].at("plan") == "aggregated:2");
}

TEST_CASE("simulate shows a table, and with --finish each rank") {
  const auto plain = cli(one_message);
  CHECK(plain.code == 0);
  CHECK_THAT(plain.out, Contains("makespan [us]") && Contains("buffered:4:64"));
  const auto finish = cli(one_message + Words{"--finish", "--latency", "3"});
  CHECK_THAT(cli({"simulate", "--help"}).out, Contains("which SimGrid does not use"));
  CHECK_THAT(finish.out, Contains("finish [us]") && Contains("\n       0  3000000."));
}

TEST_CASE("simulate replays a schedule from a file, as it is") {
  const Scratch scratch;
  const auto file = (scratch.path() / "s.json").string();
  const Words size{"-N", "1000", "-p", "6", "--plan", "aggregated:3", "--root", "2"};
  REQUIRE(cli(Words{"verify", "-o", file} + size).code == 0);
  const auto from_file = rows_of(cli({"simulate", "--json", "--schedule", file}));
  const auto from_plan = rows_of(cli(Words{"simulate", "--json"} + size));
  CHECK(from_file.at(0).at("simulated_seconds") == from_plan.at(0).at("simulated_seconds"));
  CHECK(from_file.at(0).at("simulated_messages") == 5);
  CHECK(from_file.at(0).at("plan") == "aggregated:3");
  for (const Words& too_much :
       {Words{"-N", "1000"}, Words{"--plan", "direct"}, Words{"--all"}, Words{"--root", "2"}}) {
    check_refused(Words{"simulate", "--schedule", file} + too_much, "excludes");
  }
}

TEST_CASE("simulate runs on the user's platform and refuses what is none") {
  const Scratch scratch;
  const auto at = [&](const char* name) { return (scratch.path() / name).string(); };
  make_file(at("two hosts.xml"), two_hosts);
  const Words on{"--platform"};
  Setting there;
  there.directory = scratch.path();
  const auto rows = rows_of(
      cli(one_message + Words{"--json", "--t-add", "0.5", "--platform", "two hosts.xml"}, there));
  // Latency, 7 further bytes at 8 bytes per second, one addition.
  CHECK(rows.at(0).at("simulated_seconds").get<double>() == Approx(1 + 7.0 / 8 + 0.5));
  CHECK(rows.at(0).at("platform") == "two hosts.xml");

  check_refused(one_message + on + Words{at("two hosts.xml"), "--cores", "2"},
                "--cores requires a platform by name");
  check_refused({"simulate", "-N", "9", "-p", "3", "--platform", at("two hosts.xml")},
                "2 core(s) on 2 node(s) for 3 ranks");
  check_refused(one_message + on + Words{at("none.xml")}, "No such file");
  check_refused(one_message + on + Words{scratch.path().string()}, "is a directory");
  check_refused(one_message + on + Words{make_file(at("empty.xml"), "")}, "is empty");
  check_refused(one_message + on + Words{make_file(at("json.xml"), "{}")}, "json.xml");
  const std::string half(two_hosts, 150);
  check_refused(one_message + on + Words{make_file(at("half.xml"), half)}, "half.xml");
}

TEST_CASE("simulate refuses figures that are none") {
  check_refused(one_message + Words{"--latency", "nan"}, "--latency");
  check_refused(one_message + Words{"--latency", "-1"}, "--latency must not be negative");
  check_refused(one_message + Words{"--gap-per-byte", "1e400"}, "--gap-per-byte");
  check_refused(one_message + Words{"--root", "2"}, "root 2");
  check_refused({"simulate", "-N", "9", "-p", "0"}, "p >= 1");
  check_refused({"simulate", "-N", "0", "-p", "9"}, "N, p >= 1");
  check_refused({"simulate", "-N", "-1", "-p", "9"}, "not -1");
  check_refused({"simulate"}, "--schedule must be given");
}

TEST_CASE("simulate on platforms by name") {
  const auto row =
      rows_of(cli(one_message + Words{"--json", "--latency", "4", "--gap-per-byte", "0", "--t-add",
                                      "0.5", "--platform", "torus:5x3"}))
          .at(0);
  CHECK(row.at("platform") == "torus:5x3");
  CHECK(row.at("simulated_seconds").get<double>() == Approx(2 + 0.5));
  const auto rows = rows_of(cli({"simulate",
                                 "-N",
                                 "64",
                                 "-p",
                                 "64",
                                 "--json",
                                 "--cores",
                                 "16",
                                 "--latency",
                                 "4",
                                 "--t-add",
                                 "0",
                                 "--overhead",
                                 "0",
                                 "--gap-per-byte",
                                 "0",
                                 "--node-latency",
                                 "1",
                                 "--plan",
                                 "gather",
                                 "--sweep",
                                 "platform=cluster,fat-tree:2x2:1x1"}));
  CHECK(rows.at(0).at("simulated_seconds").get<double>() == Approx(4));
  CHECK(rows.at(1).at("simulated_seconds").get<double>() == Approx(8));

  const Words on{"simulate", "-N", "64", "-p", "64", "--platform"};
  check_refused(on + Words{"torus:4x4"}, "torus:4x4: 16 core(s) on 16 node(s) for 64 ranks");
  check_refused(on + Words{"dragonfly:4x4x2x2"}, "4 groups need as many routers");
  check_refused(on + Words{"mesh:4x4"}, "unknown platform 'mesh:4x4'; known: cluster");
  check_refused(on + Words{"backbone:fast"}, "is not a number");
  check_refused(on + Words{"torus:8x8", "--engine", "loggops"},
                "--platform requires --engine simgrid or smpi: loggops has no links");
}

TEST_CASE("simulate says how much energy it takes") {
  const Scratch scratch;
  const Words slow{"--latency", "3", "--gap-per-byte", "0.25", "--t-add", "2"};
  const Words json{"--json"};
  const auto joules = [&](const Words& words) {
    return rows_of(cli(one_message + slow + json + words)).at(0).at("joules").get<double>();
  };
  // The run takes 3 + 7 / 4 + 2 seconds; one of the two nodes computes for 2 of them.
  const double idle = 2 * 10 * (3 + 7.0 / 4 + 2);
  CHECK(joules({"--watts", "10:200"}) == Approx(idle + 2 * 190));
  CHECK(joules({"--watts", "10:50:200", "--cores", "2"}) == Approx(idle / 2 + 2 * (40 + 75)));
  CHECK(joules({"--link-watts", "1:3"}) == Approx(4 * (3 + 7.0 / 4 + 2) + 2 * 2 * 2));

  std::string powered = two_hosts;
  for (const std::string end : {"<host id='a' speed='1Gf'", "<host id='b' speed='1Gf'"}) {
    powered.replace(powered.find(end), end.size() + 2,
                    end + "><prop id='wattage_per_state' value='10:200'/></host>");
  }
  const auto file = make_file(scratch.path() / "powered.xml", powered);
  CHECK(joules({"--platform", file}) == Approx(2 * 10 * (1 + 7.0 / 8 + 2) + 2 * 190));
  for (const char* option : {"--watts", "--link-watts"}) {
    check_refused(one_message + Words{option, "1:2", "--platform", file},
                  std::string(option) + " requires a platform by name: " + file);
    check_refused(one_message + Words{option, "2:1"}, std::string(option) + " '2:1'");
    check_refused(one_message + Words{option, "1"}, "'1': 1 number");
    check_refused(one_message + Words{option, ""}, option);
  }
  CHECK_THAT(cli(one_message + slow + Words{"--watts", "10:200"}).out,
             Contains("energy [J]") && Contains("  515\n"));
  CHECK_THAT(cli(one_message).out, !Contains("energy"));
  CHECK_FALSE(rows_of(cli(one_message + json)).at(0).contains("joules"));

  const auto both = rows_of(
      cli(one_message + slow + json + Words{"--watts", "10:200", "--engine", "loggops,simgrid"}));
  REQUIRE(both.size() == 2);
  CHECK_FALSE(both[0].contains("joules"));
  CHECK_FALSE(both[0].contains("watts"));
  CHECK(both[1].at("joules").get<double>() == Approx(idle + 2 * 190));
  CHECK(both[1].at("watts") == "10:200");

  const auto rows = (scratch.path() / "rows.csv").string();
  const Words sweep = one_message + slow + Words{"-o", rows, "--sweep", "link-watts=1:3,1:5"};
  CHECK_THAT(cli(sweep + Words{"--sweep", "watts=10:200,10:100"}).err, Contains("4 rows added"));
  CHECK_THAT(cli(sweep + Words{"--sweep", "watts=10:100,10:300"}).err,
             Contains("2 rows added, 2 were there"));
  const auto content = bracket::read_file(rows);
  CHECK_THAT(content, Contains(",watts,link_watts,") && Contains(",10:200,1:3,"));
  CHECK_THAT(content, Contains(",550.0\n") && Contains(",558.0\n"));
}

TEST_CASE("simulate writes what SimGrid saw") {
  const Scratch scratch;
  const auto at = [&](const char* name) { return (scratch.path() / name).string(); };
  const Words outputs{"--goal",     at("a.goal"), "--chrome-trace",
                      at("a.json"), "--paje",     at("a.paje")};
  REQUIRE(cli(one_message + Words{"--engine", "simgrid"} + outputs).code == 0);
  CHECK_THAT(bracket::read_file(at("a.goal")), Contains("num_ranks 2\n"));
  // A send, a receive and an addition.
  const auto trace = nlohmann::json::parse(bracket::read_file(at("a.json"))).at("traceEvents");
  CHECK(std::count_if(trace.begin(), trace.end(),
                      [](const auto& event) { return event.at("ph") == "X"; }) == 3);
  CHECK_THAT(bracket::read_file(at("a.paje")), Contains("\"rank 1\""));
  const Words goal{"--goal", at("both.goal")};
  CHECK(cli(one_message + Words{"--engine", "loggops,simgrid"} + goal).code == 0);
  check_refused(one_message + Words{"--engine", "loggops,simgrid", "--paje", at("b.paje")},
                "--paje requires one --engine, not 2");
}

TEST_CASE("a simulation that is killed leaves nothing behind") {
  // The platform is a pipe without an end. The simulation waits for it in its child process, which
  // keeps the test's pipes open.
  const Scratch scratch;
  const auto pipe = (scratch.path() / "endless.xml").string();
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  Process simulation(Words{BRACKET_FRONT} + one_message + Words{"--platform", pipe});
  int end = -1;
  for (int tries = 0; end < 0 && tries < 1000; ++tries) {
    end = ::open(pipe.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);  // works once a process reads
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  REQUIRE(end >= 0);
  simulation.signal(SIGINT);
  CHECK(simulation.wait().code == 128 + SIGINT);
  ::close(end);
}

#endif

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
  CHECK_THAT(bracket::read_file(at("a.goal")), Contains("num_ranks 4\n") && Contains("rank 3 {"));
  CHECK(nlohmann::json::parse(bracket::read_file(at("a.json"))).at("traceEvents").size() > 4);
  CHECK_THAT(bracket::read_file(at("a.paje")), Contains("%EventDef") && Contains("\"rank 3\""));
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

}  // namespace simulate_test
