// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include "help/completions.hpp"

namespace bracket::tools {

namespace {

constexpr const char* fish_beginning =
    R"(# Completion of bracket for fish, by `bracket help --write`.

# The names of `bracket list KIND`, without parameters.
function __bracket_names
    bracket list $argv[1] 2>/dev/null | string match --regex --groups-only '^  ([[:alnum:]-]+)'
end

)";

std::string fish_quoted(const std::string& words) {
  std::string all;
  for (const char letter : words) {
    if (letter == '\\' || letter == '\'') all += '\\';
    all += letter;
  }
  return all;
}

std::string fish_action(const OptionHelp& option) {
  const std::string names = fmt::format(" -a '(__bracket_names {})'", listed_kind(option));
  switch (value_kind(option)) {
    case ValueKind::none:
      return "";
    case ValueKind::name:
      return " -x" + names;
    case ValueKind::name_or_file:
      return " -r -F" + names;
    case ValueKind::file:
      return " -r -F";
    case ValueKind::folder:
      return " -x -a '(__fish_complete_directories)'";
    case ValueKind::other:
      break;
  }
  return " -x";
}

std::string fish_line(const std::string& condition, const OptionHelp& option) {
  std::string names;
  for (const std::string& name : option.names) {
    names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  return fmt::format("complete -c bracket -n {}{}{} -d '{}'\n", condition, names,
                     fish_action(option), fish_quoted(brief(option.description)));
}

}  // namespace

std::string fish_completion(const CommandHelp& program, const std::vector<CommandHelp>& commands) {
  const std::string no_subcommand = "__fish_use_subcommand";
  std::string all = fish_beginning;
  for (const OptionHelp& option : program.options) all += fish_line(no_subcommand, option);
  for (const CommandHelp& command : commands) {
    all += fmt::format("complete -c bracket -n {} -f -a {} -d '{}'\n", no_subcommand, command.name,
                       fish_quoted(brief(command.description)));
  }
  for (const CommandHelp& command : commands) {
    const std::string condition = "'__fish_seen_subcommand_from " + command.name + "'";
    for (const OptionHelp& option : command.options) all += fish_line(condition, option);
    if (takes_subcommand(command)) {
      all += fmt::format("complete -c bracket -n {} -f -a '{}'\n", condition, names_of(commands));
    } else if (!takes_files(command)) {
      all += fmt::format("complete -c bracket -n {} -f\n", condition);
    }
  }
  return all;
}

}  // namespace bracket::tools
