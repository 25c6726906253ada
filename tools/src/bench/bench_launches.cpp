#include "bench/bench_launches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <sstream>
#include <string_view>
#include <tuple>

#include "bench/bench_candidates.hpp"
#include "bench/bench_table.hpp"
#include "bench/launch_options.hpp"
#include "bracket/model/json.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "common/command_line.hpp"
#include "common/launch.hpp"
#include "common/options.hpp"
#include "common/programs.hpp"
#include "common/spawn.hpp"

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
    std::sort(launch.ranks.begin(), launch.ranks.end());
    check_cores();
    std::vector<Json> rows;
    for (const Rank ranks : launch.ranks) {
      for (Json& row : rows_on(ranks, program, command.remaining())) rows.push_back(std::move(row));
    }
    add_speedups(rows);
    RowTable table(bench_columns(variety_of(rows)), json);
    table.keep_rows();
    table.title(fmt::format("median times on {} ranks, each started by `{}`; speedup over {}",
                            fmt::join(launch.ranks, ", "), launch.launcher,
                            counted(launch.ranks.front(), "rank")));
    for (Json& row : rows) table.row(std::move(row));
    table.finish();
    report_bench(page, table);
  }

 private:
  void check_cores() const {
    if (launch.oversubscribe) return allow_oversubscription();
    const Rank most = launch.ranks.back();
    if (launch.launcher != default_launcher() || most <= cores()) return;
    throw Error(text("-p ", most, ": this machine has ", counted(cores(), "core"),
                     ": give --oversubscribe, or a --launcher that has more"));
  }

  [[nodiscard]] std::vector<Json> rows_on(Rank ranks, const std::string& program,
                                          const std::vector<std::string>& words) const {
    std::vector<std::string> started = launcher_words(launch.launcher, ranks);
    started.insert(started.end(), {program, "bench"});
    started.insert(started.end(), words.begin(), words.end());
    if (std::find(words.begin(), words.end(), "--json") == words.end()) {
      started.emplace_back("--json");
    }
    std::istringstream lines;
    try {
      lines.str(output_of(started));
    } catch (const ProgramFailed& failed) {
      // The program already printed the reason.
      if (failed.code() == exit_code_bad_input) throw SaidError();
      throw;
    }
    std::vector<Json> rows;
    for (std::string line; std::getline(lines, line);) {
      rows.push_back(parse_json(line, text("the output of `", started.front(), '`')));
      if (rows.back().at("ranks") != ranks) {
        throw Error(text("`", started.front(), "` started ", rows.back().at("ranks").dump(),
                         " ranks in place of ", ranks,
                         ": use the launcher of the MPI library that Bracket was built with"));
      }
    }
    return rows;
  }

  /// Adds to each row the time of its candidate on the fewest ranks, divided by its time.
  static void add_speedups(std::vector<Json>& rows) {
    std::map<std::tuple<std::string, std::string, Index>, double> first;
    for (Json& row : rows) {
      const double seconds = row.at("measured_seconds");
      const auto fewest = first.try_emplace(
          {row.at("candidate"), row.at("distribution"), row.at("elements")}, seconds);
      row["speedup"] = fewest.first->second / seconds;
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
  if (argc < 2 || argv[1] != std::string_view("bench") || launched_ranks() > 1) return false;
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
