// SPDX-License-Identifier: MIT

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <set>
#include <thread>

#include "tools/cli.hpp"

namespace sweep_test {

using namespace bracket::testing;
using Catch::Approx;
using Catch::Contains;

namespace {

const Words base{"simulate", "-N", "10000", "--engine", "loggops"};

Words lines_of(const std::string& content) {
  Words lines;
  std::istringstream in(content);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<double> swept(const std::string& range) {
  std::vector<double> values;
  for (const Json& row :
       rows_of(cli(base + Words{"-p", "3", "--json", "--sweep", "latency=" + range}))) {
    values.push_back(row.at("latency_seconds"));
  }
  return values;
}

}  // namespace

TEST_CASE("a sweep is every simulation of the options' values") {
  const auto rows =
      rows_of(cli(base + Words{"--json", "--sweep", "p=3,8", "--sweep", "plan=direct,aggregated:3",
                               "--distribution", "lower,upper", "--sweep=latency=1e-6,0.5"}));
  REQUIRE(rows.size() == 2 * 2 * 2 * 2);
  std::size_t i = 0;
  for (const char* p : {"3", "8"}) {
    for (const char* plan : {"direct", "aggregated:3"}) {
      for (const char* latency : {"1e-6", "0.5"}) {
        const auto alone = rows_of(cli(base + Words{"--json", "-p", p, "--plan", plan, "--latency",
                                                    latency, "--distribution", "lower,upper"}));
        CHECK(rows[i++] == alone.at(0));
        CHECK(rows[i++] == alone.at(1));
      }
    }
  }
}

TEST_CASE("a sweep of elements needs no -N") {
  const Words rest{"simulate", "--engine", "loggops", "-p", "4", "--json"};
  Words alone;
  for (const char* const size : {"100", "1000"}) {
    alone.push_back(cli(rest + Words{"-N", size}).out);
  }
  for (const char* const name : {"N", "elements"}) {
    const auto swept = cli(rest + Words{"--sweep", std::string(name) + "=100,1k"});
    CHECK(swept.out == alone[0] + alone[1]);
  }
  const Scratch scratch;
  const auto tuned = (scratch.path() / "tuned.json").string();
  REQUIRE(cli({"tune", "-N", "100:1000", "-p", "4", "--plan-file", tuned}).code == 0);
  const auto rows = rows_of(cli({"simulate", "--engine", "loggops", "--json", "--plan-file", tuned,
                                 "--sweep", "elements=100,1000"}));
  REQUIRE(rows.size() == 2);
  CHECK(rows[1].at("elements") == 1000);
}

TEST_CASE("ranges of a sweep") {
  CHECK(swept("1e-6:1e-4:log:5") ==
        std::vector{1e-6, 3.16227766016838e-6, 1e-5, 3.16227766016838e-5, 1e-4});
  CHECK(swept("1e-308:1e1:log:4")[3] == 10);
  CHECK(swept("0.5:0:lin:3") == std::vector{0.5, 0.25, 0.0});
  CHECK(swept("0.25,3") == std::vector{0.25, 3.0});
  std::vector<int> ranks;
  for (const Json& row : rows_of(cli(base + Words{"--json", "--sweep", "p=1:100:log:5"}))) {
    ranks.push_back(row.at("ranks"));
  }
  CHECK(ranks == std::vector{1, 3, 10, 32, 100});
  // For a figure that need not be a whole number, steps may be fractions.
  CHECK(swept("0:1:lin:3") == std::vector{0.0, 0.5, 1.0});
  // Equal whole numbers give one row.
  CHECK(rows_of(cli(base + Words{"--json", "--sweep", "p=1:3:lin:9"})).size() == 3);
}

TEST_CASE("a sweep as a table and as CSV") {
  const Words asked = base + Words{"--sweep", "p=2,4", "--sweep", "gap=1e-6,2e-6"};
  CHECK_THAT(cli(asked).out, Contains("g [us]") && Contains("2.00"));
  // An option that is swept shows its default value, too.
  CHECK_THAT(cli(base + Words{"-p", "2", "--sweep", "cores=1,2", "--sweep", "eager=9,inf"}).out,
             Contains("  9.0      1 ") && Contains("  inf      1 "));
  const auto lines = lines_of(cli(asked + Words{"--csv"}).out);
  const auto rows = rows_of(cli(asked + Words{"--json"}));
  REQUIRE(lines.size() == 1 + 4);
  CHECK_THAT(lines[0], Catch::StartsWith("elements,ranks,order,distribution,"));
  CHECK_THAT(lines[0], Catch::EndsWith(",messages,simulated_seconds,joules"));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CHECK_THAT(lines[i + 1], Catch::EndsWith(rows[i].at("simulated_seconds").dump() + ","));
    CHECK_THAT(lines[i + 1], Contains(rows[i].at("gap_seconds").dump()));
  }
}

TEST_CASE("rows in a file are not simulated again") {
  const Scratch scratch;
  for (const char* name : {"rows.csv", "rows.jsonl"}) {
    const auto file = (scratch.path() / name).string();
    // A row's text may contain a comma and a quote: a plan's capacity, a platform's name.
    const Words asked =
        base +
        Words{"--distribution", "optimized:0.2", "--late", "uniform:0:1e-6", "-o", file, "--sweep"};
    const auto first = cli(asked + Words{"p=4,8"});
    CHECK(first.out == "");
    CHECK_THAT(first.err, Contains("2 rows added"));
    const std::string two = content_of(file);
    CHECK_THAT(cli(asked + Words{"p=8,4"}).err, Contains("0 rows added, 2 were there"));
    CHECK(content_of(file) == two);
    CHECK_THAT(cli(asked + Words{"p=4,8,16"}).err, Contains("1 row added, 2 were there"));
    const std::string three = content_of(file);
    CHECK_THAT(three, Catch::StartsWith(two));
    // The program ended while it wrote the last row.
    for (std::size_t cut : {std::size_t{1}, three.size() - two.size() - 1}) {
      make_file(file, three.substr(0, three.size() - cut));
      CHECK_THAT(cli(asked + Words{"p=4,8,16"}).err, Contains("1 row added, 2 were there"));
      CHECK(content_of(file) == three);
    }
    const auto half = lines_of(three).at(0).substr(0, 20);
    make_file(file, half);
    CHECK_THAT(cli(asked + Words{"p=4,8,16"}).err, Contains("3 rows added"));
    CHECK(content_of(file) == three);
    // Another seed gives another row.
    CHECK_THAT(cli(asked + Words{"p=4", "--seed", "2"}).err, Contains("1 row added"));
  }
}

TEST_CASE("a row is of the files as they were") {
  const Scratch scratch;
  const auto at = [&](const std::string& name) { return (scratch.path() / name).string(); };
  const Words sizes{"-N", "1000", "-p", "2"};
  REQUIRE(cli(Words{"verify", "-o", at("schedule")} + sizes).code == 0);
  REQUIRE(cli(Words{"tune", "--plan-file", at("tuned")} + sizes).code == 0);
  const std::string held =
      R"({"format": "bracket-distribution", "version": 1, "elements": 1000, "ranks": 2,)"
      R"( "counts": [488, 512]})";
  const std::string platform =
      R"(<?xml version="1.0"?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">)"
      R"(<platform version="4.1"><cluster id="c" prefix="n" suffix="" radical="0-1" speed="1Gf")"
      R"( bw="1GBps" lat="1us"/></platform>)";
  struct Case {
    std::string option;
    std::string content;
    Words words;
    std::string engine = "loggops";
  };
  for (const auto& [option, content, words, engine] :
       {Case{"--distribution", held, sizes},
        Case{"--machine", content_of(BRACKET_MACHINES "/thesis.json"), sizes},
        Case{"--placement", "0 1", sizes}, Case{"--schedule", content_of(at("schedule")), {}},
        Case{"--plan-file", content_of(at("tuned")), {}},
        Case{"--platform", platform, sizes, "simgrid"}}) {
    if (engine == "simgrid" && !BRACKET_HAS_SIMGRID) continue;
    CAPTURE(option);
    const auto file = at("file.json");
    for (const std::string name : {"rows.csv", "rows.jsonl"}) {
      const auto out = at(option + name);
      const Words command = Words{"simulate", "--engine", engine, option, file, "-o", out} + words;
      const auto rows_with = [&](const std::string& now) {
        make_file(file, now);
        const auto outcome = cli(command);
        INFO(outcome.err);
        CHECK(outcome.code == 0);
        return lines_of(content_of(out)).size();
      };
      const auto first = rows_with(content);
      CHECK(rows_with(content) == first);
      CHECK(rows_with(content + "\n") == first + 1);
      CHECK(rows_with(content) == first + 1);
    }
  }
}

TEST_CASE("words with commas and quotes come back from a file") {
  const Scratch scratch;
  const auto machine = (scratch.path() / "a \"fast\", new machine.json").string();
  std::filesystem::copy_file(std::filesystem::path(BRACKET_MACHINES) / "thesis.json", machine);
  for (const char* name : {"rows.csv", "rows.jsonl"}) {
    const auto file = (scratch.path() / name).string();
    const Words asked = base + Words{"--machine", machine, "-o", file, "-p", "4"};
    CHECK_THAT(cli(asked).err, Contains("1 row added"));
    CHECK_THAT(cli(asked).err, Contains("0 rows added, 1 were there"));
  }
}

TEST_CASE("a sweep that is killed keeps its rows") {
  const Scratch scratch;
  const auto file = (scratch.path() / "rows.jsonl").string();
  const auto whole = (scratch.path() / "whole.jsonl").string();
  const Words asked{"simulate",          "-N",      "10000000",
                    "--engine",          "loggops", "--plan",
                    "direct,aggregated", "--sweep", "p=2000:2040:lin:41"};
  Process sweep(Words{BRACKET_FRONT} + asked + Words{"-o", file});
  for (int tries = 0; tries < 2000 && lines_of(content_of(file)).size() < 5; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  sweep.signal(SIGKILL);
  sweep.wait();
  const auto kept = content_of(file);
  const auto rows = std::count(kept.begin(), kept.end(), '\n');
  REQUIRE(rows >= 4);
  CHECK_THAT(cli(asked + Words{"-o", file}).err,
             Contains(std::to_string(rows) + " were there") || Contains("82 were there"));
  CHECK(cli(asked + Words{"-o", whole}).code == 0);
  CHECK(content_of(file) == content_of(whole));
}

TEST_CASE("sweeps that cannot be are refused before the first row") {
  const Scratch scratch;
  const auto file = (scratch.path() / "rows.csv").string();
  const auto refused = [&](const Words& words, const std::string& why) {
    check_refused(base + Words{"-o", file, "--sweep"} + words, why);
    CHECK_FALSE(std::filesystem::exists(file));
  };
  refused({"q=1", "-p", "2"}, "--sweep q: an option of `bracket simulate`");
  refused({"json=1", "-p", "2"}, "--sweep json: an option");
  refused({"output=x.csv", "-p", "2"}, "--sweep output: an option");
  refused({"sweep=p=2"}, "--sweep sweep: an option");
  refused({"p=2,x"}, "--sweep p: 'x' is not a whole number");
  refused({"p=2,0"}, "--sweep p=0: either -N and -p");
  refused({"p=2", "-p", "3"}, "--sweep p gives the values of -p (--ranks), which is given, too");
  for (const char* const name : {"N", "elements"}) {
    refused({name + std::string("=2,3"), "-p", "3"},
            std::string("--sweep ") + name +
                " gives the values of -N (--elements), which is given, too: leave it out");
  }
  refused({"plan=direct", "--plan", "buffered", "-p", "2"},
          "--sweep plan gives the values of --plan, which is given, too");
  refused({"plan=direct,nope", "-p", "2"}, "--sweep plan=nope: unknown plan 'nope'");
  refused({"p=2,2"}, "2 is there twice");
  refused({"p=1k,1000"}, "1000 is there twice");
  refused({"p=2", "--sweep", "latency=1e-6,1.0e-6"}, "1.0e-6 is there twice");
  // The time is proportional to their number: comparing all pairs would take minutes.
  refused({"latency=1e-6:1e-4:lin:400000", "--plan", "nope", "-p", "2"}, "unknown plan 'nope'");
  refused({"p=2", "--sweep", "p=3"}, "--sweep p is given twice");
  refused({"p=2", "--sweep", "ranks=3"}, "--sweep p and --sweep ranks set the same option");
  refused({"p"}, "OPTION=VALUE");
  refused({"p="}, "OPTION=VALUE");
  refused({"p=2,,3"}, "a value is empty");
  refused({"p=1:9:log:1"}, "1 steps: from 2");
  refused({"latency=1e-7:1e-5:3", "-p", "2"}, "written FROM:TO:log:COUNT or FROM:TO:lin:COUNT");
  refused({"latency=1e-7:1e-5:x:3", "-p", "2"}, "written FROM:TO:log:COUNT or FROM:TO:lin:COUNT");
  refused({"latncy=1e-7", "-p", "2"}, "was expected; did you mean latency?");
  refused({"wibble=1", "-p", "2"}, "was expected; `bracket help simulate` lists them");
  refused({"distribution=a\nb.json", "-p", "2"}, "a\nb.json");
  refused({"p=0:9:log:3"}, "need positive ends");
  refused({"p=1:x:log:3"}, "--sweep p: 'x' is not a whole number");
  refused({"p=1:1.5:log:3"}, "--sweep p: '1.5' is not a whole number");
  refused({"latency=1:x:log:3", "-p", "2"}, "--sweep latency: 'x' is not a number");
  refused({"p=1:9:log:x"}, "'x' is not a whole number");
  refused({"p=2:1001:lin:1000", "--sweep", "root=0:1999:lin:2000"}, "more than 1000000 points");
  refused({"p=2", "--goal", file + ".goal"}, "require one plan and one distribution");
  check_refused(base + Words{"--finish", "--sweep", "p=2"},
                "--finish requires a single simulation");
}

TEST_CASE("files that are not the sweep's are refused and left alone") {
  const Scratch scratch;
  const auto refused = [&](const char* name, const std::string& content, const std::string& why) {
    const auto file = make_file(scratch.path() / name, content);
    check_refused(base + Words{"-p", "2", "-o", file}, why);
    CHECK(content_of(file) == content);
  };
  const auto pipe = scratch.path() / "pipe.csv";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  check_refused(base + Words{"-p", "2", "-o", pipe.string()}, "pipe.csv: is not a regular file");
  refused("rows.txt", "", "named .csv or .jsonl");
  refused("rows.csv", "p,seconds\n1,2\n", "line 1 does not have the columns");
  refused("rows.jsonl", "[1]\n", "line 1 is not a JSON object");
  refused("mine.csv", "a line of mine", "line 1 is not a row of a simulation");
  refused("mine.jsonl", "{\"a\": 1}", "line 1 is not a row of a simulation");
  refused("other.jsonl", "{\"a\": \n", "line 1: not JSON at byte");
  const auto header = lines_of(cli(base + Words{"-p", "2", "--csv"}).out).at(0);
  refused("short.csv", header + "\n1,2\n", "line 2 has 2 cells");
  check_refused(base + Words{"-p", "2", "-o", (scratch.path() / "no/rows.csv").string()},
                "rows.csv: cannot be written");
  check_refused(base + Words{"-p", "2", "-o", "a.csv", "--json"}, "excludes");
}

TEST_CASE("a file to which another program adds rows is left to it") {
  const Scratch scratch;
  const auto file = make_file(scratch.path() / "rows.csv", "");
  const int held = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(::flock(held, LOCK_EX) == 0);
  check_refused(base + Words{"-p", "2", "-o", file}, "rows.csv: another program is adding rows");
  ::close(held);
  CHECK(cli(base + Words{"-p", "2", "-o", file}).code == 0);
}

TEST_CASE("settings that a file of rows cannot hold are refused, and foreign rows") {
  const Scratch scratch;
  Setting there;
  there.directory = scratch.path();
  const Words simulate{"simulate", "-N", "9", "-p", "2"};
  for (const std::string name : {"a\nb.txt", "a\rb.txt", "a\xff.txt"}) {
    make_file(scratch.path() / name, "0 1");
    for (const char* const rows : {"r.csv", "r.jsonl"}) {
      CAPTURE(name, rows);
      const Words placed = simulate + Words{"--placement", name, "--cores", "2"};
      check_refused(cli(placed + Words{"-o", rows}, there),
                    "has a line break or is not UTF-8: rows in a file need another name");
      CHECK(rows_of(cli(placed + Words{"--json"}, there)).size() == 1);
    }
  }
  make_file(scratch.path() / "x.jsonl", "{\"elements\":5}\n");
  check_refused(cli(simulate + Words{"-o", "x.jsonl"}, there),
                "line 1 is not a row of a simulation");
  CHECK(content_of(scratch.path() / "x.jsonl") == "{\"elements\":5}\n");
}

TEST_CASE("a file of nodes is judged even where nothing comes of it") {
  const Scratch scratch;
  const auto nodes = make_file(scratch.path() / "nodes.txt", "0 garbage");
  for (const char* const engine : {"loggops", "simgrid"}) {
    check_refused({"simulate", "-N", "9", "-p", "2", "--engine", engine, "--placement", nodes},
                  "nodes.txt: the node of rank 1");
  }
  check_refused({"tune", "-N", "9", "-p", "2", "--objective", "loggops", "--placement", nodes},
                "nodes.txt: the node of rank 1");
}

}  // namespace sweep_test
