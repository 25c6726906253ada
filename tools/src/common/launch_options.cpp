// SPDX-License-Identifier: MIT

#include "common/launch_options.hpp"

#include <algorithm>
#include <sstream>

#include "bracket/model/json.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "common/command_line.hpp"
#include "common/launch.hpp"
#include "common/options.hpp"
#include "common/programs.hpp"
#include "common/spawn.hpp"
#include "rows/row_table.hpp"

namespace bracket::tools {

CLI::Option* LaunchOptions::add_to(CLI::App& command) {
  launcher = default_launcher();
  auto* const counts = add_rank_counts(
      command, ranks,
      text("numbers of ranks: ", command.get_name(), " starts --launcher for each. Do not start ",
           command.get_name(), " itself by mpiexec then"));
  command.add_option("--launcher", launcher, "command that starts the ranks of -p")
      ->capture_default_str()
      ->type_name("COMMAND")
      ->needs(counts);
  command.add_flag("--oversubscribe", oversubscribe, "let -p exceed the number of cores")
      ->needs(counts);
  return counts;
}

void LaunchOptions::refuse(const CLI::App& command) {
  if (command.count("--ranks") == 0) return;
  throw Error(
      "-p: this process is a rank of a launch already: leave out -p, or mpiexec; with -p, bracket "
      "starts the launcher itself");
}

void LaunchOptions::prepare() {
  std::sort(ranks.begin(), ranks.end());
  const auto twice = std::adjacent_find(ranks.begin(), ranks.end());
  if (twice != ranks.end()) throw Error(text("-p: ", *twice, " is given twice"));
  if (oversubscribe) return allow_oversubscription();
  const Rank most = ranks.back();
  if (launcher != default_launcher() || most <= cores()) return;
  throw Error(text("-p ", most, ": this machine has ", counted(cores(), "core"),
                   ": give --oversubscribe, or a --launcher that has more"));
}

std::vector<nlohmann::ordered_json> LaunchOptions::rows_on(
    Rank count, const std::vector<std::string>& program, const std::string& name,
    bool (*is_row)(const nlohmann::ordered_json& row)) const {
  std::vector<std::string> started = launcher_words(launcher, count);
  started.insert(started.end(), program.begin(), program.end());
  std::istringstream lines;
  try {
    lines.str(output_of(started));
  } catch (const ProgramFailed& failed) {
    // The program already printed the reason.
    if (failed.code() == exit_code_bad_input) throw SaidError();
    throw;
  }
  std::vector<nlohmann::ordered_json> rows;
  const std::string where = text("the output of `", launcher, '`');
  for (std::string line; std::getline(lines, line);) {
    const auto row = parse_json(line, where);
    if (!row.is_object() || !row.contains("ranks") || !row["ranks"].is_number_integer() ||
        !is_row(row)) {
      throw Error(text(where, ": a row of `", name, "` was expected, not ", excerpt(line)));
    }
    if (row["ranks"] != count) {
      throw Error(text("`", launcher, "` started ", row["ranks"].dump(), " ranks in place of ",
                       count, ": use the launcher of the MPI library that Bracket was built with"));
    }
    rows.push_back(row);
  }
  if (rows.empty()) {
    throw Error(text("`", launcher, "` printed no row for ", counted(count, "rank"),
                     ": it must start the command that follows it"));
  }
  return rows;
}

}  // namespace bracket::tools
