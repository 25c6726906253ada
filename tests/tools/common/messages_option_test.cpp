// SPDX-License-Identifier: MIT

#include <cstdlib>

#include "tools/cli.hpp"

namespace messages_option_test {

using namespace bracket::testing;
using Catch::Approx;
using Catch::Contains;

namespace {

/// A table of messages of 8 bytes.
Json messages(double round_trip) {
  return {{{"bytes", 8},
           {"send_overhead_seconds", 1e-4},
           {"receive_overhead_seconds", 1e-4},
           {"gap_seconds", 1e-4},
           {"round_trip_seconds", round_trip}}};
}

/// A file of a machine with these tables.
std::string machine_file(const Scratch& scratch, const std::string& name, const Json& tables) {
  auto machine = Json::parse(content_of(BRACKET_MACHINES "/thesis.json"));
  machine["version"] = 2;
  machine.update(tables);
  return make_file(scratch.path() / name, machine.dump());
}

}  // namespace

TEST_CASE("predictions take the messages of the library with --messages mpi") {
  const Scratch scratch;
  const auto both = machine_file(
      scratch, "both.json", {{"messages", messages(2e-3)}, {"library_messages", messages(4e-3)}});
  const auto slow = machine_file(scratch, "slow.json", {{"messages", messages(4e-3)}});
  const auto row = [](const Words& more) {
    return rows_of(cli(Words{"simulate", "-N", "2", "-p", "2", "--engine", "loggops", "--plan",
                             "direct", "--json"} +
                       more))
        .at(0);
  };
  const auto seconds = [&](const Words& more) {
    return row(more).at("simulated_seconds").get<double>();
  };
  const double by_memory = seconds({"--machine", both});
  const double by_mpi = seconds({"--machine", slow});
  CHECK(by_mpi > 1.5 * by_memory);
  CHECK(seconds({"--machine", both, "--messages", "mpi"}) == Approx(by_mpi));
  CHECK(seconds({"--messages", "mpi", "--machine", both}) == Approx(by_mpi));
  CHECK(seconds({"--machine", both, "--messages", "shared"}) == Approx(by_memory));
  CHECK(seconds({"--machine", slow, "--messages", "mpi"}) == Approx(by_mpi));
  CHECK(row({"--machine", both, "--messages", "mpi"}).at("through_mpi") == true);
  CHECK_FALSE(row({"--machine", both}).contains("through_mpi"));

  const Words predict{"compare", "--predict", "-N", "2", "-p", "2", "--plan", "direct"};
  CHECK_THAT(cli(predict + Words{"--machine", both, "--messages", "mpi"}).out,
             Contains("messages as measured, through MPI"));

  setenv("BRACKET_MESSAGES", "mpi", 1);
  CHECK(seconds({"--machine", both}) == Approx(by_mpi));
  CHECK(seconds({"--machine", both, "--messages", "shared"}) == Approx(by_memory));
  setenv("BRACKET_MESSAGES", "", 1);
  CHECK(seconds({"--machine", both}) == Approx(by_memory));
  setenv("BRACKET_MESSAGES", "post", 1);
  check_refused(predict, "--messages or BRACKET_MESSAGES is 'post'; known: mpi or shared");
  unsetenv("BRACKET_MESSAGES");
  check_refused(predict + Words{"--messages", "post"},
                "--messages or BRACKET_MESSAGES is 'post'; known: mpi or shared");

  // Rows say how their messages went.
  const auto judged = [&](const Json& environment) {
    Json measured{{"elements", 2},           {"ranks", 2},       {"order", "tree"},
                  {"distribution", "upper"}, {"plan", "direct"}, {"measured_seconds", 1}};
    if (!environment.empty()) measured["environment"] = environment;
    const auto file = make_file(scratch.path() / "rows.jsonl", measured.dump() + "\n");
    return rows_of(cli({"validate", file, "--machine", both, "--json"}))
        .at(0)
        .at("loggp_seconds")
        .get<double>();
  };
  CHECK(judged({}) == Approx(judged({{"shares_memory", false}})));
  CHECK(judged({{"shares_memory", true}}) < 0.7 * judged({}));
  const auto refused = [&](const Json& environment, const std::string& words) {
    const Json measured{{"elements", 2},
                        {"ranks", 2},
                        {"order", "tree"},
                        {"distribution", "upper"},
                        {"plan", "direct"},
                        {"measured_seconds", 1},
                        {"environment", environment}};
    const auto file = make_file(scratch.path() / "wrong.jsonl", measured.dump() + "\n");
    check_refused({"validate", file, "--machine", both}, words);
  };
  refused(Json::array({1}), "\"environment\": [1] is not an object");
  refused({{"shares_memory", "yes"}}, "\"shares_memory\": \"yes\" is not true or false");
}

}  // namespace messages_option_test
