// SPDX-License-Identifier: MIT

#include "tools/cli.hpp"

namespace help_mpi_test {

using namespace bracket::testing;
using Catch::Contains;

namespace {

std::string help_of(const Words& arguments) {
  CAPTURE(arguments);
  const auto outcome = cli(arguments);
  CHECK(outcome.code == 0);
  CHECK(outcome.err == "");
  CHECK_FALSE(outcome.out.empty());
  return outcome.out;
}

}  // namespace

TEST_CASE("bracket help is bracket --help, also of a subcommand") {
  CHECK(help_of({"help"}) == help_of({"--help"}));
  CHECK_THAT(help_of({"help"}), Contains("\n  help "));
  for (const auto& name : subcommands() + Words{"help"}) {
    CHECK(help_of({"help", name}) == help_of({name, "--help"}));
  }
}

TEST_CASE("help of what is none is refused") {
  check_refused({"help", "tun"}, "unknown subcommand 'tun'; did you mean tune?");
  check_refused({"help", ""}, "unknown subcommand ''");
  check_refused({"help", "tune", "run"}, "unexpected argument 'run' of bracket help");
  check_refused({"help", "--json"}, "unknown option --json of bracket help");
  check_refused({"help", "--"}, "bracket help COMMAND was expected");
}

TEST_CASE("help has lines of at most 100 columns") {
  std::vector<Words> all{{"--help"}};
  for (const auto& name : subcommands() + Words{"help"}) all.push_back({name, "--help"});
  for (const Words& arguments : all) {
    CAPTURE(arguments);
    std::istringstream help(help_of(arguments));
    for (std::string line; std::getline(help, line);) {
      CAPTURE(line);
      CHECK(line.size() <= 100);
      CHECK_FALSE(line.ends_with(' '));
    }
  }
}

TEST_CASE("help has options in groups, and says in words which do not go together") {
  for (const auto& name : subcommands()) {
    CAPTURE(name);
    const std::string help = help_of({name, "--help"});
    for (const char* const list : {"Excludes:", "Needs:", "REQUIRED", "[]", "README"}) {
      CHECK_FALSE(Contains(list).match(help));
    }
    CHECK(occurrences(help, "\nOptions:\n  -h,--help ") == 1);
    CHECK(occurrences(help, "\nExit code: 0 for success, 2 for ") == 1);
  }
  const std::string help = help_of({"simulate", "--help"});
  std::size_t at = 0;
  for (const char* const group : {"Schedule", "Reduction", "Machine", "Network", "Disturbances",
                                  "Simulation", "Output", "Options"}) {
    CAPTURE(group);
    const auto here = help.find(std::string("\n\n") + group + ":\n  ");
    REQUIRE(here != std::string::npos);
    CHECK(here > at);
    at = here;
  }
  CHECK_THAT(help, Contains("split the result vector into p blocks") &&
                       Contains(" (reduce-scatter); not with --all\n"));
  CHECK_THAT(help, Contains("`bracket list engines` explains each (default:"));
  CHECK_THAT(help_of({"count", "--help"}), Contains("; only with --plan\n"));
}

TEST_CASE("what help says excludes each other is refused together") {
  check_refused({"tune", "-N", "9", "-p", "2", "--front", "--explain"}, "excludes");
  check_refused({"count", "-N", "9", "-p", "2", "--all"}, "--all requires --plan");
}

#if BRACKET_HAS_MPI

TEST_CASE("help is given once for all ranks") {
  for (const auto& name : {"run", "count"}) {
    const auto outcome = cli_on(2, {"help", name});
    CHECK(outcome.code == 0);
    CHECK(outcome.out == help_of({name, "--help"}));
  }
  check_refused(cli_on(2, {"help", "rum"}), "unknown subcommand 'rum'; did you mean run?");
}

#endif

}  // namespace help_mpi_test
