// SPDX-License-Identifier: MIT

#include "tools/cli.hpp"

namespace machine_line_test {

using namespace bracket::testing;
using Catch::Contains;

namespace {

const Words sizes{"-N", "1000", "-p", "4"};
const Words loggops{"simulate", "--engine", "loggops"};

}  // namespace

TEST_CASE("a table says in its first line which machine it is of") {
  const std::string thesis = "machine thesis, the default: ";
  const std::string figures = "L 140.5 ns, o 70.25 ns, g 70.25 ns, G 0.1 ns/byte, t_add 4.15 ns\n";
  CHECK(cli(loggops + sizes).out.starts_with(thesis + figures));
  CHECK(cli(Words{"tune", "--objective", "loggp"} + sizes).out.starts_with(thesis + figures));
  CHECK(cli(Words{"compare", "--predict"} + sizes).out.starts_with(thesis + figures));
  const std::string score = thesis + "t_send 281 ns, t_add 4.15 ns\n";
  CHECK(cli(Words{"count"} + sizes).out.starts_with(score));
  CHECK(cli(Words{"tune"} + sizes).out.starts_with(score));
  CHECK(cli(Words{"tune", "--front"} + sizes).out.starts_with(score));
  CHECK(cli(Words{"tune", "-N", "10:1000", "-p", "3"}).out.starts_with(score));

  CHECK(cli(loggops + sizes + Words{"--machine", "loggopsim", "--t-add", "2e-3"})
            .out.starts_with(
                "machine loggopsim: L 2.5 us, o 1.5 us, g 1 us, G 6 ns/byte, t_add 2 ms, "
                "S 65535 bytes\n"));
  CHECK(cli(loggops + sizes + Words{"--machine", "shared-memory", "--node-latency", "0"})
            .out.find("additions as measured, S 4040 bytes; inside a node L 0 ns, o 212.9 ns") !=
        std::string::npos);
}

TEST_CASE("rows say which machine they are of") {
  for (const Words& command :
       {loggops, Words{"tune", "--objective", "loggp"}, Words{"compare", "--predict"}}) {
    CAPTURE(command);
    const auto row = rows_of(cli(command + Words{"--json", "--latency", "3e-6"} + sizes)).at(0);
    CHECK(row.at("latency_seconds") == 3e-6);
    CHECK(row.at("overhead_seconds") == 70.25e-9);
    CHECK(row.at("gap_seconds_per_byte") == 0.1e-9);
    CHECK(row.at("seconds_per_addition") == 4.15e-9);
    CHECK_FALSE(row.contains("machine"));
  }
}

TEST_CASE("figures of the default machine beside others that are given are named") {
  const auto said = [](const Words& command) {
    const auto outcome = cli(command + sizes);
    CHECK(outcome.code == 0);
    return outcome.err;
  };
  const std::string rest = " given, the rest is the default machine's: ";
  const std::string others =
      "--overhead 70.25 ns, --gap 70.25 ns, --gap-per-byte 0.1 ns, --t-add 4.15 ns\n";
  const Words latency{"--latency", "1e-6"};
  for (const Words& command :
       {loggops, Words{"tune", "--objective", "loggp"}, Words{"compare", "--predict"},
        Words{"draw", "--plan", "direct"}, loggops + Words{"--json"},
        Words{"tune", "--objective", "loggops", "--json"}}) {
    CAPTURE(command);
    CHECK(said(command) == "");
    CHECK(said(command + latency) == "bracket: --latency is" + rest + others);
    CHECK(said(command + latency + Words{"--machine", "thesis"}) == "");
    CHECK(said(command + latency +
               Words{"--overhead", "1e-7", "--gap", "0", "--gap-per-byte", "0", "--t-add", "0"}) ==
          "");
  }
  CHECK(said(Words{"count", "--t-send", "1"}) ==
        "bracket: --t-send is" + rest + "--t-add 4.15 ns\n");
  CHECK(said(Words{"count", "--t-send", "1", "--t-add", "0"}) == "");
  CHECK(said(Words{"tune"} + latency) ==
        "bracket: --latency is" + rest + "--overhead 70.25 ns, --t-add 4.15 ns\n");
  CHECK(said(Words{"tune", "--t-send", "1", "--t-add", "0"}) == "");
  CHECK(said(loggops + Words{"--gap", "0", "--t-add", "0"}) ==
        "bracket: --gap, --t-add are" + rest +
            "--latency 140.5 ns, --overhead 70.25 ns, --gap-per-byte 0.1 ns\n");
  const Words sweep{"--sweep", "latency=1e-6,2e-6"};
  CHECK(said(loggops + sweep) == "bracket: --latency is" + rest + others);
  CHECK(said(loggops + sweep + Words{"--sweep", "machine=thesis,loggopsim"}) == "");
  // A refused command prints one line, with the reason.
  check_refused(Words{"simulate", "-N", "9", "-p", "0", "--latency", "1"}, "-p");
  check_refused(Words{"tune", "--plan", "none", "--latency", "1"} + sizes, "'none'");
#if BRACKET_HAS_SIMGRID
  CHECK(said(Words{"simulate", "--engine", "simgrid"} + latency) ==
        "bracket: --latency is" + rest +
            "--overhead 70.25 ns, --gap-per-byte 0.1 ns, --t-add 4.15 ns\n");
#endif
}

}  // namespace machine_line_test
