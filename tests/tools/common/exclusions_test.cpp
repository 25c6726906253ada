// SPDX-License-Identifier: MIT

#include "tools/cli.hpp"

namespace exclusions_test {

using namespace bracket::testing;

namespace {

/// Checks a refusal with exactly this line.
void check_line(const Words& arguments, const std::string& line) {
  CAPTURE(arguments);
  const auto outcome = cli(arguments);
  CHECK(outcome.code == 2);
  CHECK(outcome.err == "bracket: " + line + "\n");
  CHECK(outcome.out == "");
}

}  // namespace

TEST_CASE("options that exclude each other are named, and which to leave out") {
  const Scratch scratch;
  const auto file = (scratch.path() / "s.json").string();
  const Words sizes{"-N", "10", "-p", "4"};
  REQUIRE(cli(Words{"verify", "-o", file} + sizes).code == 0);
  const Words from_file{"simulate", "--schedule", file};
  check_line(from_file + Words{"-N", "10"}, "--schedule excludes -N: leave out --schedule, or -N");
  check_line(from_file + Words{"--elements=10"},
             "--schedule excludes -N: leave out --schedule, or -N");
  check_line(from_file + sizes,
             "--schedule excludes -N and -p: leave out --schedule, or -N and -p");
  check_line(from_file + Words{"--all"} + sizes,
             "--schedule excludes -N, -p and --all: leave out --schedule, or -N, -p and --all");
  check_line({"verify", file, "-N", "10"},
             "schedule " + file + " excludes -N: leave out schedule " + file + ", or -N");
  check_line(Words{"tune", "--front", "--explain"} + sizes,
             "--explain excludes --front: leave out --explain, or --front");
  check_line(from_file + Words{"--sweep", "N=10,20"},
             "--sweep N=10: --schedule excludes -N: leave out --schedule, or -N");
  check_line(Words{"count", "--sweep", "root=1,2", "--plan", "direct", "--all"} + sizes,
             "--sweep root=1: --all excludes --root: leave out --all, or --root");
  // The file is not read before.
  const auto folder = scratch.path().string();
  check_line({"simulate", "-N", "10", "--schedule", folder},
             "--schedule excludes -N: leave out --schedule, or -N");
  check_line({"simulate", "--schedule", folder}, folder + ": is a directory, not a file");
  check_line(from_file + Words{"-N", "10", "--jsn"},
             "unknown option --jsn of bracket simulate; did you mean --json?");
}

}  // namespace exclusions_test
