// SPDX-License-Identifier: MIT

#include <sys/stat.h>

#include "tools/cli.hpp"

namespace pipe_test {

using namespace bracket::testing;

namespace {

/// Runs `bracket` with the content of `file` in a pipe to its stdin.
Outcome cli_from_pipe(const std::string& file, const Words& arguments) {
  return run_process(Words{"sh", "-c", R"(cat "$0" | "$@")", file, BRACKET_FRONT} + arguments,
                     with_mpi({}));
}

}  // namespace

TEST_CASE("a plan file may come from a pipe") {
  const Scratch scratch;
  const auto file = (scratch.path() / "the plan.json").string();
  REQUIRE(cli({"tune", "-N", "1237", "-p", "4", "--plan-file", file}).code == 0);
  for (const Words& command :
       {Words{"count"}, Words{"verify"}, Words{"draw"}, Words{"simulate", "--engine", "loggops"}}) {
    CAPTURE(command);
    const auto piped = cli_from_pipe(file, command + Words{"--plan-file", "/dev/stdin"});
    INFO(piped.err);
    CHECK(piped.code == 0);
    const auto read = cli(command + Words{"--plan-file", file});
    CHECK(occurrences(piped.out, "\n") == occurrences(read.out, "\n"));
  }
}

TEST_CASE("a pipe is refused where what is in it is needed again") {
  const Scratch scratch;
  const auto pipe = (scratch.path() / "a pipe.json").string();
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const std::string words = " " + pipe + " is read more than once: a file was expected";
  const auto check = [&](const Words& command, const std::string& option) {
    check_refused(command + Words{"--" + option, pipe}, "--" + option + words);
  };
  for (const char* option : {"plan-file", "distribution", "platform"}) {
    check({"compare", "--predict", "-N", "9", "-p", "2"}, option);
  }
  const Words sizes{"-N", "9", "-p", "2"};
  const Words swept{"simulate", "--engine", "loggops", "--sweep", "latency=1e-6,2e-6"};
  const Words kept{"simulate", "--engine", "loggops", "-o", (scratch.path() / "r.csv").string()};
  for (const char* option : {"plan-file", "distribution", "machine", "placement", "platform"}) {
    for (const Words& simulate : {swept, kept}) check(simulate + sizes, option);
  }
  check(swept, "schedule");
  check({"simulate", "-N", "9", "-p", "2", "--plan", "direct,buffered"}, "platform");
  check({"tune", "-N", "9", "-p", "2", "--objective", "simgrid"}, "platform");
  check_refused({"simulate", "--engine", "loggops", "-N", "9", "-p", "2", "--sweep",
                 "distribution=" + pipe + ",upper"},
                "--distribution" + words);
  check_refused(kept + sizes + Words{"--placement", scratch.path().string()}, "is a directory");
}

TEST_CASE("tune and simulate read a placement once") {
  const Scratch scratch;
  const auto file = make_file(scratch.path() / "nodes", "0 0 1 1");
  for (const Words& command :
       {Words{"tune", "--objective", "loggops", "--budget", "9"},
        Words{"simulate", "--engine", "loggops", "--plan", "direct,aggregated"}}) {
    const Words words =
        command + Words{"-N", "99",     "-p",         "4", "--cores", "2", "--node-latency",
                        "0",  "--json", "--placement"};
    const auto piped = cli_from_pipe(file, words + Words{"/dev/stdin"});
    INFO(piped.err);
    CHECK(piped.code == 0);
    CHECK(occurrences(piped.out, "\n") == occurrences(cli(words + Words{file}).out, "\n"));
  }
}

}  // namespace pipe_test
