#include "tools/cli.hpp"

namespace help_test {

using namespace bracket::testing;
using Catch::Contains;

namespace {

Words subcommands() {
  Words all{"list", "count", "compare", "draw", "verify", "simulate", "tune"};
#if BRACKET_HAS_MPI
  all = all + Words{"run", "bench", "calibrate"};
#endif
  return all;
}

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

}  // namespace help_test
