// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include "help/completions.hpp"

namespace bracket::tools {

namespace {

constexpr const char* bash_beginning =
    R"(# Completion of bracket for bash, by `bracket help --write`.

# The names of `bracket list KIND`, without parameters.
_bracket_names() {
  "$1" list "$2" 2>/dev/null | sed -n 's/^  \([[:alnum:]-]\{1,\}\).*/\1/p'
}

_bracket_from_words() {
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$word")
}

_bracket_from_files() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen "$1" -- "$word")
}

_bracket() {
  local program=$1 word=$2 before=$3 options= arguments=
  COMPREPLY=()
)";

constexpr const char* bash_value_beginning = R"(
  # bash takes the = of --option=VALUE for a word.
  if [ "$word" = = ]; then
    word=
  elif [ "$before" = = ]; then
    before=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  case ${COMP_WORDS[1]}:$before in
)";

constexpr const char* bash_ending = R"(  esac
  if [[ $word = -* || ! $arguments ]]; then
    _bracket_from_words "$options"
  elif [ "$arguments" = files ]; then
    _bracket_from_files -f
  else
    _bracket_from_words "$arguments"
  fi
}

complete -F _bracket bracket
)";

std::string bash_action(const OptionHelp& option) {
  const std::string names =
      fmt::format("_bracket_from_words \"$(_bracket_names \"$program\" {})\"", listed_kind(option));
  switch (value_kind(option)) {
    case ValueKind::name:
      return names;
    case ValueKind::name_or_file:
      return names + "; [ ${#COMPREPLY[@]} -gt 0 ] || _bracket_from_files -f";
    case ValueKind::file:
      return "_bracket_from_files -f";
    case ValueKind::folder:
      return "_bracket_from_files -d";
    default:
      return ":";
  }
}

std::string bash_names(const std::vector<OptionHelp>& options) {
  std::string all;
  for (const OptionHelp& option : options) {
    for (const std::string& name : option.names) all += (all.empty() ? "" : " ") + name;
  }
  return all;
}

}  // namespace

std::string bash_completion(const CommandHelp& program, const std::vector<CommandHelp>& commands) {
  const std::string names = names_of(commands);
  std::string all = bash_beginning;
  all += fmt::format(
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    _bracket_from_words '{} {}'\n    return\n  fi\n",
      names, bash_names(program.options));
  all += bash_value_beginning;
  for (const CommandHelp& command : commands) {
    for (const OptionHelp& option : command.options) {
      if (option.value.empty()) continue;
      std::string patterns;
      for (const std::string& name : option.names) {
        patterns += (patterns.empty() ? "" : " | ") + command.name + ':' + name;
      }
      all += fmt::format("    {}) {}; return ;;\n", patterns, bash_action(option));
    }
  }
  all += "  esac\n  case ${COMP_WORDS[1]} in\n";
  for (const CommandHelp& command : commands) {
    std::string arguments = takes_files(command) ? "files" : "";
    if (takes_subcommand(command)) arguments = names;
    all += fmt::format("    {}) options='{}' arguments='{}' ;;\n", command.name,
                       bash_names(command.options), arguments);
  }
  return all + bash_ending;
}

}  // namespace bracket::tools
