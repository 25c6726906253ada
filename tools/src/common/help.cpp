// SPDX-License-Identifier: MIT

#include "common/help.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

namespace bracket::tools {

namespace {

constexpr std::size_t help_columns = 100;
constexpr std::size_t help_indent = 30;  // where descriptions begin

/// Breaks a text into lines of at most `columns` characters, at spaces or within longer words.
/// Keeps the line breaks of the text.
std::vector<std::string> wrapped(const std::string& written, std::size_t columns) {
  std::vector<std::string> lines;
  std::istringstream paragraphs(written);
  for (std::string paragraph; std::getline(paragraphs, paragraph);) {
    lines.emplace_back();
    std::istringstream words(paragraph);
    for (std::string word; words >> word;) {
      std::string& line = lines.back();
      if (!line.empty() && line.size() + 1 + word.size() <= columns) {
        line += ' ' + word;
        continue;
      }
      if (!line.empty()) lines.emplace_back();
      for (; word.size() > columns; word.erase(0, columns)) {
        lines.back() = word.substr(0, columns);
        lines.emplace_back();
      }
      lines.back() = word;
    }
  }
  return lines;
}

/// Returns `name` with its description beside or below it.
std::string entry(const std::string& name, const std::string& description) {
  std::string all = "  " + name;
  bool beside = all.size() < help_indent;
  for (const std::string& line : wrapped(description, help_columns - help_indent)) {
    all +=
        beside ? std::string(help_indent - all.size(), ' ') : '\n' + std::string(help_indent, ' ');
    all += line;
    beside = false;
  }
  return all + '\n';
}

std::string paragraphs(const std::string& written) {
  std::string all;
  for (const std::string& line : wrapped(written, help_columns)) all += line + '\n';
  return all;
}

}  // namespace

CLI::Option* need_in_words(CLI::App& command, const std::string& name, CLI::Option* other) {
  CLI::Option* const option = command.get_option(name);
  return option->needs(other)->description(option->get_description() + "; only with " +
                                           other->get_name());
}

void add_footer(CLI::App& command, const std::string& paragraph) {
  command.footer(paragraph + '\n' + command.get_footer());
}

std::vector<std::string> groups_of(const CLI::App& command) {
  std::vector<std::string> groups = command.get_groups();
  std::erase(groups, "");
  std::stable_partition(groups.begin(), groups.end(),
                        [](const std::string& group) { return group != "Options"; });
  return groups;
}

std::vector<const CLI::Option*> options_in(const CLI::App& command, const std::string& group) {
  return command.get_options([&](const CLI::Option* option) {
    return option->get_group() == group && option->nonpositional();
  });
}

std::string described(const CLI::Option& option) {
  std::string description = option.get_description();
  if (option.get_type_size() == 0) return description;
  if (option.get_required()) description += " (required)";
  // CLI11 prints the default of a list in brackets, but a user writes it without.
  std::string standard = option.get_default_str();
  if (standard.starts_with('[') && standard.ends_with(']')) {
    standard = standard.substr(1, standard.size() - 2);
  }
  if (!standard.empty()) description += " (default: " + standard + ")";
  return description;
}

HelpFormatter::HelpFormatter() { column_width(help_indent); }

std::string HelpFormatter::make_description(const CLI::App* app) const {
  return paragraphs(app->get_description());
}

std::string HelpFormatter::make_footer(const CLI::App* app) const {
  return paragraphs(app->get_footer());
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name,
                                     CLI::AppFormatMode mode) const {
  std::string help = make_description(app) + make_usage(app, std::move(name));
  help += make_positionals(app);
  for (const std::string& group : groups_of(*app)) {
    const auto options = options_in(*app, group);
    if (!options.empty()) help += make_group(group, false, options);
  }
  help += make_subcommands(app, mode);
  const std::string footer = make_footer(app);
  return help + (footer.empty() ? "" : '\n' + footer);
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
  return entry(command->get_name(), command->get_description());
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  std::string name = make_option_name(option, is_positional);
  if (option->get_type_size() != 0 && !option->get_type_name().empty()) {
    name += ' ' + option->get_type_name();
  }
  return entry(name, described(*option));
}

}  // namespace bracket::tools
