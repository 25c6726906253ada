// SPDX-License-Identifier: MIT

#include "help/completions.hpp"

#include <algorithm>
#include <string_view>

namespace bracket::tools {

ValueKind value_kind(const OptionHelp& option) {
  if (option.value.empty()) return ValueKind::none;
  const bool named = !listed_kind(option).empty();
  // "a name or a file", "A file.json of ..."; --plan-file is another option.
  const bool file = option.description.find("a file") != std::string::npos ||
                    option.description.find("file.json") != std::string::npos;
  if (named) return file ? ValueKind::name_or_file : ValueKind::name;
  if (option.value.starts_with("FILE") || (option.value == "NAME" && file)) return ValueKind::file;
  return option.value.starts_with("FOLDER") ? ValueKind::folder : ValueKind::other;
}

std::string listed_kind(const OptionHelp& option) {
  constexpr std::string_view list = "`bracket list ";
  auto from = option.description.find(list);
  if (from == std::string::npos) return "";
  from += list.size();
  return option.description.substr(from, option.description.find('`', from) - from);
}

bool takes_subcommand(const CommandHelp& command) {
  return !command.arguments.empty() && command.arguments[0].value == "COMMAND";
}

bool takes_files(const CommandHelp& command) {
  return std::any_of(command.arguments.begin(), command.arguments.end(),
                     [](const OptionHelp& argument) {
                       const ValueKind kind = value_kind(argument);
                       return kind == ValueKind::file || kind == ValueKind::folder ||
                              argument.value.starts_with("-- ");
                     });
}

std::string names_of(const std::vector<CommandHelp>& commands) {
  std::string all;
  for (const CommandHelp& command : commands) all += (all.empty() ? "" : " ") + command.name;
  return all;
}

std::string brief(const std::string& description) {
  constexpr std::size_t longest = 80;
  std::size_t end = description.size();
  for (const char* const mark : {"; ", ". ", " (", "\n"}) {
    end = std::min(end, description.find(mark));
  }
  if (end > longest) end = description.rfind(' ', longest);
  return description.substr(0, end);
}

}  // namespace bracket::tools
