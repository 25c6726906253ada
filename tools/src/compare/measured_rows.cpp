// SPDX-License-Identifier: MIT

#include "compare/measured_rows.hpp"

#include <fmt/format.h>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "common/programs.hpp"
#include "common/spawn.hpp"

namespace bracket::tools {

namespace {

std::vector<std::string> run_command(const CompareOptions& options, const std::string& program,
                                     Rank p, const std::vector<std::string>& arguments) {
  std::vector<std::string> command = launcher_words(options.launcher, p);
  const auto append = [&](const std::vector<std::string>& words) {
    command.insert(command.end(), words.begin(), words.end());
  };
  append({program, "run"});
  if (options.input.file.empty()) {
    append({"--synthetic", std::to_string(options.input.synthetic), "--seed",
            std::to_string(options.input.seed)});
  } else {
    append({options.input.file});
  }
  append({"--json", "--threads", std::to_string(options.machine.threads)});
  append(options.measurement.arguments());
  append(arguments);
  return command;
}

}  // namespace

Rows measured_rows(const CompareOptions& options, const std::string& program,
                   std::span<const Rank> ranks, const std::vector<std::string>& arguments,
                   const RowSetting& setting, Progress& progress) {
  std::string lines;
  std::string launcher;
  for (int start = 1; start <= options.starts; ++start) {
    for (const Rank p : ranks) {
      progress.say(fmt::format("measuring on {}, start {} of {} ...", counted(p, "rank"), start,
                               options.starts));
      const auto command = run_command(options, program, p, arguments);
      launcher = command.front();
      const std::string own = output_of(command);
      const Rows rows = read_rows(own, measured_duration, setting, launcher);
      if (rows.empty()) throw Error(text("`", launcher, "` did not run ", program));
      for (const auto& [key, row] : rows) {
        // The mpiexec of another MPI library starts p programs of one rank each.
        if (key.ranks == p) continue;
        throw Error(text("`", launcher, "` started ", program, " on ", counted(key.ranks, "rank"),
                         " in place of ", p,
                         ": use the launcher of the MPI library that it was built with"));
      }
      lines += own;
    }
  }
  return read_rows(lines, measured_duration, setting, launcher);
}

void take(nlohmann::ordered_json& row, const Rows& from, const RowKey& key,
          std::initializer_list<const char*> keys) {
  const auto found = from.find(key);
  if (found == from.end()) return;
  for (const char* name : keys) {
    if (found->second.contains(name)) row[name] = found->second[name];
  }
}

}  // namespace bracket::tools
