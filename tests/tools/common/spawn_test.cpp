// SPDX-License-Identifier: MIT

#include "common/spawn.hpp"

#include <sys/wait.h>

#include <cerrno>
#include <csignal>

#include "bracket/support/child.hpp"
#include "tools/cli.hpp"

namespace spawn_test {

using namespace bracket;
using namespace bracket::testing;
using namespace bracket::tools;
using Catch::Contains;

namespace {

/// Whether any process that this one started is left, running or not.
bool any_child_left() { return ::waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD; }

}  // namespace

TEST_CASE("a program's output is taken, with nothing to read from its stdin") {
  CHECK(output_of({"printf", "%s|", "a b", "$HOME", ""}) == "a b|$HOME||");
  CHECK(output_of({"cat"}) == "");
  const std::string big = output_of({"head", "-c", "1000000", "/dev/zero"});
  CHECK(big == std::string(1'000'000, '\0'));
  CHECK_FALSE(any_child_left());
}

TEST_CASE("a program that cannot be started or fails is said, and none is left over") {
  CHECK_THROWS_WITH(output_of({"/no/such/program"}),
                    "/no/such/program: cannot be started: No such file or directory");
  CHECK_THROWS_WITH(output_of({"/etc/passwd"}),
                    "/etc/passwd: cannot be started: Permission denied");
  CHECK_THROWS_WITH(start_program({.command = {"true"},
                                   .prepare =
                                       [] {
                                         errno = EBUSY;
                                         return false;
                                       }}),
                    "true: cannot be started: Device or resource busy");
  try {
    output_of({"sh", "-c", "exit 7"});
    FAIL("it did not fail");
  } catch (const ProgramFailed& failed) {
    CHECK(failed.code() == 7);
    CHECK(std::string(failed.what()) == "`sh -c exit 7` failed with exit code 7");
  }
  CHECK_THROWS_WITH(output_of({"sh", "-c", "kill -9 $$"}),
                    Contains("` was ended by signal 9 (Killed)"));
  CHECK_FALSE(any_child_left());
}

TEST_CASE("a program reads a file in memory") {
  const FileInMemory file("two\nlines\n");
  CHECK(output_of({"cat", file.path()}) == "two\nlines\n");
}

TEST_CASE("a copy of this process ends as its work does") {
  CHECK(support::wait_for(support::start_child(SIGKILL, [] {})).succeeded());
  CHECK(support::wait_for(support::start_child(SIGKILL, [] { throw Error("not seen"); })).words() ==
        "exit code 1");
  CHECK(support::wait_for(support::start_child(SIGKILL, [] { ::raise(SIGTERM); })).words() ==
        "signal 15 (Terminated)");
}

}  // namespace spawn_test
