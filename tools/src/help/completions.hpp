// SPDX-License-Identifier: MIT

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/command_help.hpp"

/// Completions of the command line for three shells. They complete subcommands, options, files, and
/// the names of `bracket list` for the options whose help refers to it.
namespace bracket::tools {

/// What the value of an option is.
enum class ValueKind : std::uint8_t { none, name, name_or_file, file, folder, other };

/// Returns what an option takes, by its help.
ValueKind value_kind(const OptionHelp& option);

/// Returns KIND of `bracket list KIND` in the help of an option; empty if there is none.
std::string listed_kind(const OptionHelp& option);

/// Returns whether a subcommand takes the name of another as its argument, as `help` does.
bool takes_subcommand(const CommandHelp& command);

/// Returns whether a subcommand takes files or folders as arguments, or a program with its own.
bool takes_files(const CommandHelp& command);

/// Returns the names of the subcommands with a space between them.
std::string names_of(const std::vector<CommandHelp>& commands);

/// Returns the beginning of a description, which fits beside a name.
std::string brief(const std::string& description);

std::string bash_completion(const CommandHelp& program, const std::vector<CommandHelp>& commands);
std::string zsh_completion(const CommandHelp& program, const std::vector<CommandHelp>& commands);
std::string fish_completion(const CommandHelp& program, const std::vector<CommandHelp>& commands);

}  // namespace bracket::tools
