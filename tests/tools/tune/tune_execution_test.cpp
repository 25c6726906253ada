// SPDX-License-Identifier: MIT

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "support/child.hpp"
#include "tools/cli.hpp"

namespace tune_execution_test {

using namespace bracket::testing;
using Catch::Contains;

namespace {

const Words thesis{"-N", "504850", "-p", "256"};

}  // namespace

TEST_CASE("a tuning ends in time, and at an interrupt, with the best so far") {
  const Scratch scratch;
  const auto file = (scratch.path() / "best.json").string();
  const Words endless{"tune",   "-N",     "1000000",  "-p",          "300",
                      "--json", "-o",     file,       "--objective", "loggp",
                      "--plan", "direct", "--budget", "9000000000"};
  const std::string so_far = ": the best of what was weighed so far, ";
  const auto check = [&](const Outcome& outcome, const std::string& why) {
    CHECK_THAT(outcome.err, Contains("bracket: " + why + so_far));
    const auto row = Json::parse(outcome.out.substr(0, outcome.out.find('\n')));
    CHECK(row.at("stopped") == true);
    const auto read = rows_of(cli({"simulate", "--engine", "loggops", "-N", "1000000", "-p", "300",
                                   "--plan", "direct", "--distribution", file, "--json"}));
    CHECK(read.size() == 1);
  };
  const auto in_time = cli(endless + Words{"--seconds", "0.3"});
  CHECK(in_time.code == 0);
  check(in_time, "the time is over");
  std::filesystem::remove(file);
  const auto interrupted = run_process(
      Words{"timeout", "--signal=INT", "--preserve-status", "3", BRACKET_FRONT} + endless);
  CHECK(interrupted.code == 128 + SIGINT);
  check(interrupted, "interrupted");

  for (const char* seconds : {"0", "-1", "nan", "1e10"}) {
    check_refused(Words{"tune", "--seconds", seconds} + thesis, "--seconds");
  }
  check_refused({"tune", "-N", "10:100", "-p", "3", "--seconds", "1"}, "--seconds");
  check_refused(Words{"tune", "--front", "--seconds", "1"} + thesis, "excludes");
}

TEST_CASE("a tuning is the same bytes for any number of jobs") {
  Words objectives{"score", "loggp", "loggops"};
  if (BRACKET_HAS_SIMGRID) objectives.push_back("simgrid");
  const Words what{"tune", "--json", "-N", "20000", "--plan", "direct,aggregated,binomial"};
  for (const std::string& objective : objectives) {
    CAPTURE(objective);
    const Words one = what + Words{"-p", "24", "--explain", "--objective", objective} +
                      (objective == "score" ? Words{} : Words{"--budget", "60"});
    const Words range{"tune", "--json",      "-N",      "100:20000", "-p",
                      "12",   "--objective", objective, "--plan",    "direct,aggregated"};
    // SimGrid starts slowly under the sanitizers.
    const Words few{"tune",   "--json",     "-N",       "2000", "-p",          "8",
                    "--plan", "aggregated", "--budget", "8",    "--objective", objective};
    for (const Words& asked :
         objective == "simgrid" ? std::vector<Words>{few} : std::vector<Words>{one, range}) {
      const auto alone = cli(asked + Words{"--jobs", "1"});
      REQUIRE(alone.code == 0);
      for (const Words& jobs : {Words{}, Words{"--jobs", "2"}, Words{"--jobs", "7"}}) {
        const auto together = cli(asked + jobs);
        CHECK(together.code == 0);
        CHECK(together.out == alone.out);
      }
    }
  }
  for (const char* const jobs : {"0", "-1", "4097", "x"}) {
    check_refused(what + Words{"-p", "2", "--jobs", jobs}, "--jobs");
  }
  check_refused(Words{"tune", "--front", "--jobs", "2"} + thesis, "excludes");
}

TEST_CASE("a tuning on thousands of ranks says soon what is best so far") {
  // stderr is not a terminal, and the whole tuning takes minutes.
  const auto outcome = cli({"tune", "-N", "21410970", "-p", "4096", "--all", "--plan", "all",
                            "--objective", "loggp", "--seconds", "6"});
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK_THAT(outcome.err, Contains(" s: tuning: ") && Contains(" weighed, best ") &&
                              Contains(" us by ") && Contains("bracket: the time is over"));
  CHECK_THAT(outcome.out, Contains("buffered"));
}

TEST_CASE("a job of a tuning that is killed is said, and an interrupt leaves none behind") {
  const Words endless{BRACKET_FRONT, "tune",        "-N",     "1000000", "-p",
                      "300",         "--objective", "loggp",  "--plan",  "direct",
                      "--budget",    "9000000000",  "--jobs", "2"};
  Process tuning(endless);
  ::kill(working_child_of(tuning.id()), SIGKILL);
  const auto outcome = tuning.wait();
  CHECK(outcome.code == 2);
  CHECK_THAT(
      outcome.err,
      Contains("bracket: the process that weighed direct on 300 ranks was ended by signal 9"));
  Process killed(endless);
  child_of(killed.id());
  killed.signal(SIGKILL);
  CHECK(killed.wait().code == 128 + SIGKILL);  // -1 if a job is still running
}

TEST_CASE("tune says on a terminal how far it is") {
  Setting setting;
  setting.environment = {{"BRACKET", BRACKET_FRONT}};
  const auto seen =
      run_process({"script", "-qec", "\"$BRACKET\" tune -N 1000 -p 8", "/dev/null"}, setting);
  INFO(seen.out);
  CHECK(seen.code == 0);
  CHECK_THAT(seen.out, Contains("tuning: setting up ...\r") &&
                           Contains("tuning: 1 distribution weighed, best ") && Contains("upper"));
}

}  // namespace tune_execution_test
