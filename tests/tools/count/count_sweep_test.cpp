// SPDX-License-Identifier: MIT

#include "tools/cli.hpp"

namespace count_sweep_test {

using namespace bracket::testing;
using Catch::Contains;

namespace {

std::vector<Json> counted(const Words& words) {
  return rows_of(cli(Words{"count", "--json"} + words));
}

}  // namespace

TEST_CASE("count takes lists of elements and ranks") {
  const Words rest{"--plan", "direct,aggregated", "--distribution", "lower,upper"};
  const auto all = counted(Words{"-N", "1k,3,1000000", "-p", "4,9"} + rest);
  std::vector<Json> alone;
  for (const char* elements : {"1000", "3", "1000000"}) {
    for (const char* ranks : {"4", "9"}) {
      for (const auto& row : counted(Words{"-N", elements, "-p", ranks} + rest)) {
        alone.push_back(row);
      }
    }
  }
  REQUIRE(alone.size() == 3 * 2 * 2 * 2);
  CHECK(all == alone);

  const auto table = cli({"count", "-N", "100,200", "-p", "4"});
  CHECK(table.code == 0);
  CHECK_THAT(table.out,
             Contains("  N  distribution") && Contains("\n100  upper") && Contains("\n200  upper"));
  check_refused({"count", "-N", "100,", "-p", "4"}, "-N '100,': a value is empty");
  check_refused({"count", "-N", "1k,100,1e3", "-p", "4"}, "-N '1k,100,1e3': 1e3 is there twice");
  check_refused({"count", "-N", "100", "-p", "4,4"}, "-p '4,4': 4 is there twice");
  check_refused({"count", "-N", "100,0", "-p", "4"}, "N must be at least 1 element, not 0");
  check_refused({"count", "-N", "100", "-p", "4,0"}, "p must be");
}

TEST_CASE("a sweep is every count of the options' values") {
  const auto rows = counted({"-N", "10000", "--sweep", "p=3,8", "--sweep=order=tree,sequential",
                             "--sweep", "t-send=1e-6,2", "--distribution", "lower,upper"});
  std::vector<Json> alone;
  for (const char* ranks : {"3", "8"}) {
    for (const char* order : {"tree", "sequential"}) {
      for (const char* seconds : {"1e-6", "2"}) {
        for (const auto& row : counted({"-N", "10000", "-p", ranks, "--order", order, "--t-send",
                                        seconds, "--distribution", "lower,upper"})) {
          alone.push_back(row);
        }
      }
    }
  }
  REQUIRE(alone.size() == 2 * 2 * 2 * 2);
  CHECK(rows == alone);
  CHECK(rows.at(0).at("send_seconds") == 1e-6);
  CHECK(rows.at(0).at("seconds_per_addition") == 4.15e-9);

  // Steps between sizes; and a sweep over plans, with the keys that only plans have.
  CHECK(counted({"-p", "2", "--sweep", "elements=1k:1M:log:4"}).at(3).at("elements") == 1000000);
  const auto vectors = counted(
      {"-N", "99", "-p", "8", "--items", "10", "--all", "--sweep", "plan=direct,butterfly"});
  REQUIRE(vectors.size() == 2);
  for (const auto& row : vectors) {
    CHECK(row.contains("direct_messages"));
    CHECK(row.at("collective") == "all-reduce");
  }
}

TEST_CASE("the table of a sweep has what is swept and not the figures that are") {
  const auto table =
      cli({"count", "-p", "4", "--sweep", "N=100,200", "--sweep", "t-send=1e-6,2e-6"});
  CHECK(table.code == 0);
  CHECK_THAT(table.out, Catch::StartsWith("machine thesis, the default: t_add 4.15 ns\n") &&
                            Contains("  N  t_send [us]  distribution"));
  CHECK_THAT(table.err, Contains("--t-send is given") && Contains("--t-add 4.15 ns"));
  const auto all = cli(
      {"count", "-N", "9", "-p", "2", "--sweep", "t-send=1e-6,2e-6", "--sweep", "t-add=1e-9,2e-9"});
  CHECK_THAT(all.out, Catch::StartsWith("t_send [us]  t_add [us]"));
  const auto measured = cli(
      {"count", "-N", "9", "-p", "2", "--machine", "shared-memory", "--sweep", "t-add=1e-9,2e-9"});
  CHECK_THAT(measured.out, Catch::StartsWith("machine shared-memory: t_send 499.8 ns\n"));
  const auto machines = cli({"count", "-N", "9", "-p", "2", "--sweep", "machine=thesis,loggopsim"});
  CHECK_THAT(machines.out, Catch::StartsWith("machine    distribution"));
  CHECK(machines.err == "");
}

TEST_CASE("sweeps of count that cannot be are refused before the first row") {
  const Words base{"count", "--json", "-p", "4", "--sweep"};
  check_refused(base + Words{"N=4,0"}, "--sweep N=0: N must be at least 1 element");
  check_refused(base + Words{"N=4,5", "-N", "9"}, "--sweep N gives the values of -N (--elements)");
  check_refused(base + Words{"x=4"}, "--sweep x: an option of `bracket count`");
  check_refused(base + Words{"json=1"}, "--sweep json: an option of `bracket count`");
  check_refused(base + Words{"latency=1", "-N", "9"}, "--sweep latency: an option");
  check_refused(base + Words{"plan=direct,none", "-N", "9"}, "unknown plan 'none'");
  check_refused(base + Words{"items=2,3", "-N", "9"}, "--items requires --plan");
  check_refused(base + Words{"distribution=upper,counts:9:0", "-N", "9"}, "counts:9:0");
  check_refused(base + Words{"t-send=1,-1", "-N", "9"}, "--t-send must not be negative");
  check_refused({"count", "--sweep", "N=4"}, "--ranks is required");
  const Words listed{"count", "--json", "-N", "9", "-p"};
  check_refused(listed + Words{"2,3", "--distribution", "counts:4:5"}, "counts:4:5");
  check_refused(listed + Words{"2", "--plan", "direct,none"}, "unknown plan 'none'");
}

}  // namespace count_sweep_test
