// SPDX-License-Identifier: MIT

#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

/// The help of subcommands as data, from which man pages and completions are written.
namespace bracket::tools {

/// An option or an argument of a subcommand.
struct OptionHelp {
  std::vector<std::string> names;  ///< `-N` and `--elements`; of an argument, its only name
  std::string value;               ///< what it takes: `N`; empty for a flag
  std::string description;         ///< with its default
  std::string group;               ///< heading of the help; empty for an argument
};

/// A subcommand.
struct CommandHelp {
  std::string name;
  std::string description;
  std::string usage;  ///< `bracket run [OPTIONS] [file]`
  std::vector<OptionHelp> arguments;
  std::vector<OptionHelp> options;  ///< in the sequence of the help
  std::string footer;               ///< paragraphs, each on a line
};

/// Returns what `bracket COMMAND --help` says.
CommandHelp help_of(const CLI::App& command);

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OptionHelp, names, value, description, group)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CommandHelp, name, description, usage, arguments, options,
                                   footer)

/// First word of a program's command line for which it prints the help of its subcommands as JSON,
/// a list of `CommandHelp`. The front starts the other programs with it.
inline constexpr const char* help_as_data = "--help-as-data";

/// Adds `help_as_data`, which the help does not show, to a program.
void add_help_as_data(CLI::App& app);

}  // namespace bracket::tools
