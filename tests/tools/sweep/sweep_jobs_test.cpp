// SPDX-License-Identifier: MIT

#include <csignal>

#include "support/child.hpp"
#include "tools/cli.hpp"

/// Sweeps whose rows several processes simulate.
namespace sweep_jobs_test {

using namespace bracket::testing;
using Catch::Contains;

namespace {

/// A sweep that takes some seconds.
const Words long_sweep{"simulate",          "-N",      "100000000",
                       "--engine",          "loggops", "--plan",
                       "direct,aggregated", "--sweep", "p=20000:20400:lin:41"};

Outcome with_jobs(const char* jobs, const Words& words) {
  return cli(words + Words{"--jobs", jobs});
}

}  // namespace

TEST_CASE("the rows of a sweep are the same bytes for any number of jobs") {
  const std::string engines = BRACKET_HAS_SIMGRID ? "loggops,simgrid" : "loggops";
  // Long rows come before short ones, and each row draws its own noise.
  const Words sweep{"simulate",
                    "-N",
                    "100000",
                    "--engine",
                    engines,
                    "--plan",
                    "direct,aggregated",
                    "--distribution",
                    "lower,upper",
                    "--late",
                    "exponential:5e-6",
                    "--noise",
                    "pareto:0.01:2",
                    "--sweep",
                    "p=400,2,300,3,1",
                    "--sweep",
                    "seed=1,7"};
  for (const Words& form : {Words{"--json"}, Words{"--csv"}, Words{}}) {
    const auto alone = with_jobs("1", sweep + form);
    REQUIRE(alone.code == 0);
    CHECK(cli(sweep + form).out == alone.out);
    for (const char* const jobs : {"2", "3", "500"}) {
      const auto shared = with_jobs(jobs, sweep + form);
      CHECK(shared.code == 0);
      CHECK(shared.out == alone.out);
      CHECK(shared.err == alone.err);
    }
  }
}

TEST_CASE("jobs go on with a file of rows where any number of them has left it") {
  const Scratch scratch;
  // Two of the plans are equal, so the row of the second exists once that of the first does.
  const Words sweep{
      "simulate", "-N", "10000", "--engine", "loggops", "--plan", "aggregated,direct,aggregated:2",
      "--sweep"};
  for (const std::string name : {"rows.csv", "rows.jsonl"}) {
    const auto file = (scratch.path() / name).string();
    const auto alone = (scratch.path() / ("alone_" + name)).string();
    CHECK_THAT(with_jobs("1", sweep + Words{"p=9,8,7,6,5,4", "-o", alone}).err,
               Contains("12 rows added, 6 were there"));
    CHECK_THAT(with_jobs("3", sweep + Words{"p=9,8", "-o", file}).err,
               Contains("4 rows added, 2 were there"));
    CHECK_THAT(with_jobs("2", sweep + Words{"p=9,8,7,6,5,4", "-o", file}).err,
               Contains("8 rows added, 10 were there"));
    CHECK(content_of(file) == content_of(alone));
  }
}

TEST_CASE("the first point that fails ends a sweep, after the rows before it") {
  const Words sweep{"simulate", "-N",          "1000",  "--engine", "loggops",
                    "--json",   "--root",      "3",     "--plan",   "direct,aggregated",
                    "--sweep",  "p=6,4,3,9,2", "--jobs"};
  const auto alone = cli(sweep + Words{"1"});
  CHECK(alone.code == 2);
  CHECK(occurrences(alone.out, "\n") == 4);
  CHECK_THAT(alone.err, Contains("bracket: --sweep p=3: root 3 is no rank"));
  for (const char* const jobs : {"2", "5", "64"}) {
    const auto shared = cli(sweep + Words{jobs});
    CHECK(shared.code == 2);
    CHECK(shared.out == alone.out);
    CHECK(shared.err == alone.err);
  }
}

TEST_CASE("settings that a file of rows cannot hold are refused by jobs, too") {
  const Scratch scratch;
  Setting there;
  there.directory = scratch.path();
  make_file(scratch.path() / "a\nb.txt", "0 0 0 0");
  const Words sweep{"simulate", "-N", "9",        "--placement", "a\nb.txt",
                    "--cores",  "4",  "--engine", "loggops",     "--sweep",
                    "p=2,3",    "-o", "rows.csv", "--jobs"};
  const auto alone = cli(sweep + Words{"1"}, there);
  const auto shared = cli(sweep + Words{"2"}, there);
  check_refused(alone, "has a line break or is not UTF-8");
  CHECK(shared.err == alone.err);
  CHECK(shared.code == alone.code);
  CHECK_FALSE(std::filesystem::exists(scratch.path() / "rows.csv"));
}

TEST_CASE("a job that is killed is said with the point that it had, and ends the sweep") {
  Process sweep(Words{BRACKET_FRONT} + long_sweep + Words{"--jobs", "2"});
  ::kill(working_child_of(sweep.id()), SIGKILL);
  const auto outcome = sweep.wait();  // also waits for its children
  CHECK(outcome.code == 2);
  CHECK_THAT(outcome.err, Contains("bracket: --sweep p=20") &&
                              Contains("the process that simulated this was ended by signal 9") &&
                              Contains("a smaller --jobs needs less"));
  CHECK(occurrences(outcome.err, "bracket: ") == 1);
}

TEST_CASE("an interrupt or the end of the program ends the jobs") {
  for (const int signal : {SIGINT, SIGTERM, SIGKILL}) {
    CAPTURE(signal);
    Process sweep(Words{BRACKET_FRONT} + long_sweep + Words{"--jobs", "2"});
    child_of(sweep.id());
    sweep.signal(signal);
    const auto outcome = sweep.wait();  // -1 if a job is still running
    CHECK(outcome.code == 128 + signal);
    CHECK(outcome.out == "");
  }
}

TEST_CASE("a single simulation is the same bytes for any number of jobs") {
  const Words single{"simulate",           "-N",    "100000",   "-p",      "5000",     "--plan",
                     "binomial,butterfly", "--all", "--engine", "loggops", "--finish", "--json"};
  const auto alone = with_jobs("1", single);
  CHECK(alone.code == 0);
  CHECK(alone.out.size() > 10000);
  for (const char* const jobs : {"2", "3", "4096"}) {
    CHECK(with_jobs(jobs, single).out == alone.out);
  }
}

TEST_CASE("a number of jobs that cannot be is refused") {
  const Words sweep{"simulate", "-N", "9", "--engine", "loggops", "--sweep", "p=2,3", "--jobs"};
  for (const char* const jobs : {"0", "-1", "4097", "1e9"}) {
    check_refused(sweep + Words{jobs}, std::string("--jobs must be from 1 to 4096, not ") + jobs);
  }
  for (const char* const jobs : {"", "x", "1.5", "nan", "1e30"}) {
    check_refused(sweep + Words{jobs}, "--jobs: ");
  }
  check_refused(sweep + Words{"1", "--sweep", "jobs=1,2"}, "--sweep jobs: an option");
}

}  // namespace sweep_jobs_test
