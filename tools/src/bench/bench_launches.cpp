// SPDX-License-Identifier: MIT

#include "bench/bench_launches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string_view>
#include <tuple>

#include "bench/bench_candidates.hpp"
#include "bench/bench_table.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "common/launch.hpp"
#include "common/launch_options.hpp"
#include "common/options.hpp"
#include "common/programs.hpp"

namespace bracket::tools {

namespace {

using Json = nlohmann::ordered_json;

/// Runs `bench` on several numbers of ranks.
class BenchLaunches {
 public:
  LaunchOptions launch;
  bool json = false;
  ReportOptions report;

  void run(const CLI::App& command) {
    report.check(command);
    Report page(report);
    const std::string program = locate(command_named("bench")).string();
    const auto words = command.remaining();
    if (!json && std::find(words.begin(), words.end(), "--samples") != words.end()) {
      throw Error("--samples requires --json");
    }
    launch.prepare();
    // Each launch reads the files again, and so does each of its ranks.
    for (const std::string& word : words) {
      if (std::filesystem::is_fifo(word)) {
        throw Error(text(word, " is read more than once: a file was expected, not a pipe"));
      }
    }
    std::vector<Json> rows;
    for (const Rank ranks : launch.ranks) {
      for (Json& row : rows_on(ranks, program, words)) rows.push_back(std::move(row));
    }
    add_speedups(rows);
    RowTable table(bench_columns(variety_of(rows)), json);
    table.keep_rows();
    table.title(fmt::format("median times for p = {}, each started by `{}`; speedup over {}",
                            fmt::join(launch.ranks, ", "), launch.launcher,
                            counted(launch.ranks.front(), "rank")));
    for (Json& row : rows) table.row(std::move(row));
    table.finish();
    report_bench(page, table);
  }

 private:
  [[nodiscard]] std::vector<Json> rows_on(Rank ranks, const std::string& program,
                                          const std::vector<std::string>& words) const {
    std::vector<std::string> started{program, "bench"};
    started.insert(started.end(), words.begin(), words.end());
    if (std::find(words.begin(), words.end(), "--json") == words.end()) {
      started.emplace_back("--json");
    }
    return launch.rows_on(ranks, started, "bracket bench --json", is_row);
  }

  static bool is_row(const Json& row) {
    const auto member = [&](const char* key) { return row.value(key, Json()); };
    return member("candidate").is_string() && member("distribution").is_string() &&
           member("elements").is_number_integer() && member("measured_seconds").is_number();
  }

  /// Adds to each row the time of its candidate on the fewest ranks, divided by its time. A
  /// candidate that was left out there has no speedup.
  void add_speedups(std::vector<Json>& rows) const {
    std::map<std::tuple<std::string, std::string, Index>, double> first;
    for (Json& row : rows) {
      const double seconds = row.at("measured_seconds");
      const std::tuple<std::string, std::string, Index> key{
          row.at("candidate"), row.at("distribution"), row.at("elements")};
      if (row.at("ranks") == launch.ranks.front()) first.emplace(key, seconds);
      if (const auto fewest = first.find(key); fewest != first.end()) {
        row["speedup"] = fewest->second / seconds;
      }
    }
  }

  static BenchVariety variety_of(const std::vector<Json>& rows) {
    BenchVariety variety{.ranks = true};
    for (const Json& row : rows) {
      if (row.at("candidate") == tuned) {
        variety.tuned = true;
      } else if (row.at("distribution") != rows.front().at("distribution")) {
        variety.distributions = true;
      }
    }
    return variety;
  }
};

}  // namespace

bool launches_bench(int argc, char** argv) {
  if (argc < 2 || argv[1] != std::string_view("bench") || launched()) return false;
  bool launches = false;
  for (int i = 2; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "-h" || word == "--help") return false;
    if (word.starts_with("-p") || word == "--ranks" || word.starts_with("--ranks=")) {
      launches = true;
    }
  }
  return launches;
}

void add_bench_launches(CLI::App& command) {
  const auto launches = std::make_shared<BenchLaunches>();
  command.allow_extras();
  launches->launch.add_to(command);
  add_json(command, launches->json);
  launches->report.add_to(command);
  command.callback([launches, &command] { launches->run(command); });
}

}  // namespace bracket::tools
