// SPDX-License-Identifier: MIT

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "bracket/support/file.hpp"
#include "tools/cli.hpp"

namespace simulate_simgrid_test {

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
  const auto content = bracket::support::read_file(rows);
  CHECK_THAT(content, Contains(",watts,link_watts,") && Contains(",10:200,1:3,"));
  CHECK_THAT(content, Contains(",550.0\n") && Contains(",558.0\n"));
}

TEST_CASE("simulate writes what SimGrid saw") {
  const Scratch scratch;
  const auto at = [&](const char* name) { return (scratch.path() / name).string(); };
  const Words outputs{"--goal",     at("a.goal"), "--chrome-trace",
                      at("a.json"), "--paje",     at("a.paje")};
  REQUIRE(cli(one_message + Words{"--engine", "simgrid"} + outputs).code == 0);
  CHECK_THAT(bracket::support::read_file(at("a.goal")), Contains("num_ranks 2\n"));
  // A send, a receive and an addition.
  const auto trace =
      nlohmann::json::parse(bracket::support::read_file(at("a.json"))).at("traceEvents");
  CHECK(std::count_if(trace.begin(), trace.end(),
                      [](const auto& event) { return event.at("ph") == "X"; }) == 3);
  CHECK_THAT(bracket::support::read_file(at("a.paje")), Contains("\"rank 1\""));
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

}  // namespace simulate_simgrid_test
