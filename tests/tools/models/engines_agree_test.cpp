// SPDX-License-Identifier: MIT

#include "tools/cli.hpp"

namespace engines_agree_test {

using namespace bracket::testing;

#if BRACKET_HAS_SMPI

namespace {

/// A machine whose additions take no time.
Json machine(const Json& figures) {
  Json json{{"format", "bracket-machine"},
            {"version", 2},
            {"name", "m"},
            {"source", "made up"},
            {"latency_seconds", 1e-6},
            {"overhead_seconds", 1e-7},
            {"gap_seconds", 1e-7},
            {"gap_seconds_per_byte", 1e-10},
            {"overhead_seconds_per_byte", 0},
            {"seconds_per_addition", 0},
            {"eager_bytes", nullptr}};
  json.update(figures);
  return json;
}

Json measured(int bytes, double send, double receive, double round_trip) {
  return {{"bytes", bytes},
          {"send_overhead_seconds", send},
          {"receive_overhead_seconds", receive},
          {"round_trip_seconds", round_trip},
          {"gap_seconds", send}};
}

/// Seconds by the four engines for one message of `numbers` numbers between two nodes.
std::vector<double> seconds_of(const std::string& file, int numbers) {
  const Words words{"compare", "--predict", "--smpi",
                    "-N",      "2",         "-p",
                    "2",       "--items",   std::to_string(numbers),
                    "--plan",  "direct",    "--distribution",
                    "upper",   "--json",    "--machine",
                    file};
  const Json row = rows_of(cli(words)).at(0);
  std::vector<double> all;
  for (const char* engine : {"loggp", "loggops", "simgrid", "smpi"}) {
    all.push_back(row.at(std::string(engine) + "_seconds").get<double>());
  }
  return all;
}

/// Costs of messages inside a node.
Json inside_costs(double latency, double overhead, double gap_per_byte) {
  return {{"latency_seconds", latency},
          {"overhead_seconds", overhead},
          {"gap_seconds", 1e-8},
          {"gap_seconds_per_byte", gap_per_byte}};
}

/// Seconds by `engines`, which know nodes, for one message of `numbers` numbers inside a node.
std::vector<double> seconds_inside(const std::string& engines, int numbers, const Words& options) {
  const Words words{"simulate",
                    "--engine",
                    engines,
                    "-N",
                    "2",
                    "-p",
                    "2",
                    "--cores",
                    "2",
                    "--items",
                    std::to_string(numbers),
                    "--plan",
                    "direct",
                    "--distribution",
                    "upper",
                    "--json"};
  std::vector<double> all;
  for (const Json& row : rows_of(cli(words + options))) {
    all.push_back(row.at("simulated_seconds").get<double>());
  }
  return all;
}

const Json table =
    Json::array({measured(8, 1e-7, 2e-7, 9e-7), measured(4096, 6e-7, 8e-7, 5e-6),
                 measured(8192, 3e-7, 4e-7, 4e-6), measured(1 << 20, 9e-6, 8e-5, 5e-4)});
const Json slow_table =
    Json::array({measured(8, 1e-6, 2e-6, 9e-6), measured(1 << 20, 9e-5, 8e-4, 5e-3)});

}  // namespace

TEST_CASE("one message takes the same by every engine") {
  const Scratch scratch;
  for (const Json& figures : {
           Json{{"name", "figures alone"}},
           Json{{"name", "O below G"}, {"overhead_seconds_per_byte", 5e-11}},
           Json{{"name", "O above G"}, {"overhead_seconds_per_byte", 7e-10}},
           Json{{"name", "O without G"},
                {"overhead_seconds_per_byte", 7e-10},
                {"gap_seconds_per_byte", 0}},
           Json{{"name", "G alone"}, {"latency_seconds", 0}, {"overhead_seconds", 0}},
           Json{{"name", "after the receive has begun"},
                {"overhead_seconds_per_byte", 5e-11},
                {"eager_bytes", 1000}},
           Json{{"name", "a table"}, {"messages", table}, {"eager_bytes", 4096}},
           Json{{"name", "a table, free links"},
                {"messages", table},
                {"latency_seconds", 0},
                {"gap_seconds_per_byte", 0}},
           Json{{"name", "a table faster than its figures"},
                {"messages", table},
                {"latency_seconds", 1e-3},
                {"overhead_seconds", 1e-4}},
       }) {
    const std::string file = make_file(scratch.path() / "m.json", machine(figures).dump());
    const int most = figures.contains("messages") ? 1 << 21 : 1 << 19;  // 16 and 4 MiB
    for (const int numbers : {1, 700, 1 << 15, most}) {
      const auto all = seconds_of(file, numbers);
      CAPTURE(figures.dump(), numbers, all);
      for (const double seconds : all) CHECK(std::abs(seconds / all[0] - 1) < 0.02);
    }
  }
}

TEST_CASE("exchanges take the same by every engine that tells them from other messages") {
  const Scratch scratch;
  Json rows = table;
  // An exchange of 8192 bytes takes no longer than a message one way.
  const double exchange[] = {6e-7, 4e-6, 1e-6, 9e-4};
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i]["exchange_seconds"] = exchange[i];
  const auto file = make_file(scratch.path() / "m.json", machine({{"messages", rows}}).dump());
  const std::pair<int, double> expected[] = {{1, 6e-7}, {512, 4e-6}, {1024, 2e-6}, {1 << 17, 9e-4}};
  for (const auto& [numbers, seconds] : expected) {
    for (const char* ranks : {"2", "8"}) {
      const Words words{"compare",
                        "--predict",
                        "--all",
                        "-N",
                        ranks,
                        "-p",
                        ranks,
                        "--items",
                        std::to_string(numbers),
                        "--plan",
                        "butterfly:1000000",
                        "--distribution",
                        "upper",
                        "--json",
                        "--machine",
                        file};
      const Json row = rows_of(cli(words)).at(0);
      CAPTURE(row.dump());
      const int rounds = ranks[0] == '2' ? 1 : 3;
      for (const char* engine : {"loggp_seconds", "loggops_seconds", "simgrid_seconds"}) {
        CHECK(std::abs(row.at(engine).get<double>() / (rounds * seconds) - 1) < 0.02);
      }
    }
  }
}

TEST_CASE("one message inside a node takes the same by every engine") {
  const auto with_table = [](Json costs) {
    costs["messages"] = table;
    return costs;
  };
  const Scratch scratch;
  for (const Json& inside :
       {inside_costs(5e-8, 2e-8, 1e-11), inside_costs(3e-5, 2e-6, 1e-8), inside_costs(0, 0, 1e-11),
        inside_costs(5e-8, 0, 0), with_table(inside_costs(2e-7, 1e-7, 2e-10)),
        with_table(inside_costs(0, 0, 0)), with_table(inside_costs(1e-3, 1e-4, 1e-10))}) {
    // LogGP has no nodes. Its reference is a machine on which all messages have these costs.
    const auto everywhere = make_file(scratch.path() / "everywhere.json", machine(inside).dump());
    for (const Json& between :
         {Json::object(), Json{{"messages", slow_table}},
          Json{{"latency_seconds", 0}, {"gap_seconds_per_byte", 0}, {"eager_bytes", 4096}}}) {
      Json both = machine(between);
      both["inside_node"] = inside;
      const auto file = make_file(scratch.path() / "m.json", both.dump());
      const bool large = inside.contains("messages") && between.empty();
      for (const int numbers : {1, large ? 1 << 21 : 1 << 15}) {  // 16 MiB, 256 KiB
        const double expected = seconds_of(everywhere, numbers)[0];
        const auto all = seconds_inside("loggops,simgrid,smpi", numbers, {"--machine", file});
        CAPTURE(both.dump(), numbers, expected, all);
        CHECK(all.size() == 3);
        for (const double seconds : all) CHECK(std::abs(seconds / expected - 1) < 0.02);
      }
    }
  }
}

TEST_CASE("the costs of a message inside a node hold on every platform by name") {
  constexpr double L = 5e-8, o = 2e-8, G = 1e-11;
  const Scratch scratch;
  Json with_inside = machine({{"messages", slow_table}});
  with_inside["inside_node"] = inside_costs(L, o, G);
  const auto file = make_file(scratch.path() / "m.json", with_inside.dump());
  const Words options{"--node-latency", "5e-8", "--node-overhead",     "2e-8",
                      "--node-gap",     "1e-8", "--node-gap-per-byte", "1e-11",
                      "--t-add",        "0"};
  for (const char* platform :
       {"cluster", "backbone:1e9", "torus:2x2", "fat-tree:2x2:1x2", "dragonfly:2x1x2x1"}) {
    for (const Words& costs : {options, Words{"--machine", file}}) {
      for (const int numbers : {1, 1000, 1 << 19}) {
        const auto all =
            seconds_inside("simgrid,smpi", numbers, costs + Words{"--platform", platform});
        CAPTURE(platform, costs, numbers, all);
        CHECK(all.size() == 2);
        for (const double seconds : all) {
          CHECK(std::abs(seconds / (o + L + (8.0 * numbers - 1) * G + o) - 1) < 0.02);
        }
      }
    }
  }
}

#endif

}  // namespace engines_agree_test
