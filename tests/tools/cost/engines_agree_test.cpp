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

/// Seconds by the four engines for one message of `numbers` numbers.
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

}  // namespace

TEST_CASE("one message takes the same by every engine") {
  const Json table =
      Json::array({measured(8, 1e-7, 2e-7, 9e-7), measured(4096, 6e-7, 8e-7, 5e-6),
                   measured(8192, 3e-7, 4e-7, 4e-6), measured(1 << 20, 9e-6, 8e-5, 5e-4)});
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
    const int most = figures.contains("messages") ? 1 << 23 : 1 << 19;  // 64 and 4 MiB
    for (const int numbers : {1, 700, 1 << 15, most}) {
      const auto all = seconds_of(file, numbers);
      CAPTURE(figures.dump(), numbers, all);
      for (const double seconds : all) CHECK(std::abs(seconds / all[0] - 1) < 0.02);
    }
  }
}

#endif

}  // namespace engines_agree_test
