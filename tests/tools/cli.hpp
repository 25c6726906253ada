// SPDX-License-Identifier: MIT

#pragma once

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/process.hpp"
#include "support/scratch.hpp"

/// The command line as a user runs it.
namespace bracket::testing {

using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

inline Words operator+(Words left, const Words& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

/// Adds the environment with which mpiexec starts more ranks than cores.
inline Setting with_mpi(Setting setting) {
  std::istringstream in(BRACKET_MPI_ENVIRONMENT);
  for (std::string word; in >> word;) {
    const auto equals = word.find('=');
    setting.environment.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  return setting;
}

inline Outcome cli(const Words& arguments, const Setting& setting = {}) {
  return run_process(Words{BRACKET_FRONT} + arguments, with_mpi(setting));
}

/// Runs `bracket` on `ranks` ranks of mpiexec; a single rank runs without it and starts faster.
inline Outcome cli_on(int ranks, const Words& arguments, const Setting& setting = {}) {
  if (ranks == 1) return cli(arguments, setting);
  return run_process(
      Words{BRACKET_MPIEXEC, BRACKET_MPIEXEC_NUMPROC_FLAG, std::to_string(ranks), BRACKET_FRONT} +
          arguments,
      with_mpi(setting));
}

/// Rows of a table with `--json`, one from each line.
inline std::vector<Json> rows_of(const Outcome& outcome) {
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  std::vector<Json> rows;
  std::istringstream in(outcome.out);
  for (std::string line; std::getline(in, line);) rows.push_back(Json::parse(line));
  return rows;
}

/// The subcommands that this build has, from the help, without `help`.
inline Words subcommands() {
  const std::string help = cli({"--help"}).out;
  std::istringstream lines(help.substr(help.find("\nSubcommands:\n")));
  Words names;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  ") || line.starts_with("   ")) continue;
    const auto name = line.substr(2, line.find(' ', 2) - 2);
    if (name == "help" || (!BRACKET_HAS_MPI && cli({name, "--help"}).code != 0)) continue;
    names.push_back(name);
  }
  return names;
}

inline std::size_t occurrences(const std::string& all, const std::string& part) {
  std::size_t count = 0;
  for (auto at = all.find(part); at != std::string::npos; at = all.find(part, at + 1)) ++count;
  return count;
}

/// Checks a refusal: exit code 2, one message that contains `what`, an empty stdout.
inline void check_refused(const Outcome& outcome, const std::string& what) {
  CHECK(outcome.code == 2);
  CHECK_THAT(outcome.err, Catch::Contains("bracket: ") && Catch::Contains(what));
  CHECK(occurrences(outcome.err, "bracket: ") == 1);
  CHECK(outcome.out == "");
}

inline void check_refused(const Words& arguments, const std::string& what) {
  CAPTURE(arguments);
  check_refused(cli(arguments), what);
}

inline std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline std::string make_file(const std::filesystem::path& file, const std::string& content) {
  std::ofstream(file, std::ios::binary) << content;
  return file.string();
}

inline std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace bracket::testing
