// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include "help/completions.hpp"

namespace bracket::tools {

namespace {

constexpr const char* zsh_beginning = R"zsh(#compdef bracket
# Completion of bracket for zsh, by `bracket help --write`.

# The names of `bracket list KIND`, without parameters.
_bracket_names() {
  local -a names
  names=(${(f)"$(_call_program names bracket list $1 2>/dev/null |
    sed -n 's/^  \([[:alnum:]-]\{1,\}\).*/\1/p')"})
  compadd -a names
}

_bracket_names_and_files() {
  _bracket_names $1
  _files
}

_bracket() {
  local curcontext=$curcontext state line
  typeset -A opt_args
  local -a subcommands
  subcommands=(
)zsh";

/// Returns words for a text between single quotes, with a backslash before each of `special`.
std::string zsh_quoted(const std::string& words, const std::string& special) {
  std::string all;
  for (const char letter : words) {
    if (letter == '\\' || special.find(letter) != std::string::npos) all += '\\';
    all += letter == '\'' ? "'\\''" : std::string(1, letter);
  }
  return all;
}

std::string zsh_action(const OptionHelp& option) {
  switch (value_kind(option)) {
    case ValueKind::name:
      return "_bracket_names " + listed_kind(option);
    case ValueKind::name_or_file:
      return "_bracket_names_and_files " + listed_kind(option);
    case ValueKind::file:
      return "_files";
    case ValueKind::folder:
      return "_files -/";
    default:
      return " ";
  }
}

/// Returns the words of `_arguments` for an option: one for each of its names, which exclude each
/// other.
std::string zsh_specification(const OptionHelp& option) {
  std::string names;
  for (const std::string& name : option.names) names += (names.empty() ? "" : " ") + name;
  std::string all;
  for (const std::string& name : option.names) {
    const char* const joint = option.value.empty() ? "" : (name.starts_with("--") ? "=" : "+");
    all += fmt::format(" \\\n        '({}){}{}[{}]", names, name, joint,
                       zsh_quoted(brief(option.description), "[]"));
    if (!option.value.empty()) {
      all += fmt::format(":{}:{}", zsh_quoted(option.value, ":"), zsh_action(option));
    }
    all += '\'';
  }
  return all;
}

}  // namespace

std::string zsh_completion(const CommandHelp& program, const std::vector<CommandHelp>& commands) {
  std::string all = zsh_beginning;
  for (const CommandHelp& command : commands) {
    all += fmt::format("    '{}:{}'\n", command.name, zsh_quoted(brief(command.description), ""));
  }
  all += "  )\n  _arguments -C";
  for (const OptionHelp& option : program.options) all += zsh_specification(option);
  all +=
      " \\\n        '1:subcommand:->subcommand' '*::argument:->argument'\n"
      "  case $state in\n"
      "    subcommand) _describe subcommand subcommands ;;\n"
      "    argument)\n"
      "      case $line[1] in\n";
  for (const CommandHelp& command : commands) {
    all += fmt::format("      {}) _arguments", command.name);
    for (const OptionHelp& option : command.options) all += zsh_specification(option);
    if (takes_subcommand(command)) {
      all += fmt::format(" \\\n        '1:subcommand:({})'", names_of(commands));
    } else if (takes_files(command)) {
      all += " \\\n        '*:argument:_files'";
    }
    all += " ;;\n";
  }
  return all + "      esac ;;\n  esac\n}\n\n_bracket \"$@\"\n";
}

}  // namespace bracket::tools
