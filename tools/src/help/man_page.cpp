// SPDX-License-Identifier: MIT

#include "help/man_page.hpp"

#include <fmt/format.h>

#include <sstream>
#include <string_view>

#include "version.hpp"

namespace bracket::tools {

namespace {

/// Returns words with the characters escaped that roff would interpret or replace.
std::string roff_escaped(std::string_view words) {
  std::string all;
  for (const char letter : words) {
    switch (letter) {
      case '\\':
        all += "\\e";
        break;
      case '-':
        all += "\\-";
        break;
      case '\'':
        all += "\\(aq";
        break;
      case '`':
        all += "\\(ga";
        break;
      case '^':
        all += "\\(ha";
        break;
      case '~':
        all += "\\(ti";
        break;
      case '.':
        all += all.empty() ? "\\&." : ".";
        break;  // not a request
      default:
        all += letter;
    }
  }
  return all;
}

std::string roff_bold(std::string_view words) { return "\\fB" + roff_escaped(words) + "\\fR"; }

std::string roff_names(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + roff_bold(name);
  return all;
}

std::string roff_heading(const std::string& page, const std::string& description) {
  return fmt::format(".TH \"{}\" 1 \"\" \"Bracket {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n",
                     roff_escaped(page), BRACKET_VERSION, roff_escaped(page),
                     roff_escaped(description));
}

std::string roff_entry(const OptionHelp& option) {
  std::string title = roff_names(option.names);
  if (!option.value.empty()) title += " \\fI" + roff_escaped(option.value) + "\\fR";
  return ".TP\n" + title + '\n' + roff_escaped(option.description) + '\n';
}

/// Returns each line of `written` as a paragraph.
std::string roff_paragraphs(const std::string& written) {
  std::string all;
  std::istringstream lines(written);
  for (std::string line; std::getline(lines, line);) all += ".PP\n" + roff_escaped(line) + '\n';
  return all;
}

/// Returns the sections of a footer. Its last line is about exit codes.
std::string roff_footer(const std::string& written) {
  const std::string_view exit_code = "Exit code: ";
  const auto last = written.rfind(exit_code);
  const std::string notes = written.substr(0, last);
  std::string all = notes.empty() ? "" : ".SH NOTES\n" + roff_paragraphs(notes);
  if (last != std::string::npos) {
    all += ".SH \"EXIT STATUS\"\n" + roff_paragraphs(written.substr(last + exit_code.size()));
  }
  return all;
}

std::string roff_synopsis(const CommandHelp& command) {
  const auto name_end = command.usage.find(" [");
  return ".SH SYNOPSIS\n" + roff_bold(command.usage.substr(0, name_end)) +
         roff_escaped(command.usage.substr(name_end)) + '\n';
}

std::string roff_options(const CommandHelp& command) {
  std::string all = command.arguments.empty() ? "" : ".SH ARGUMENTS\n";
  for (const OptionHelp& argument : command.arguments) all += roff_entry(argument);
  all += ".SH OPTIONS\n";
  std::string group;
  for (const OptionHelp& option : command.options) {
    if (option.group != group) all += ".SS \"" + roff_escaped(option.group) + "\"\n";
    group = option.group;
    all += roff_entry(option);
  }
  return all;
}

}  // namespace

std::string man_page(const CommandHelp& command) {
  return roff_heading("bracket-" + command.name, command.description) + roff_synopsis(command) +
         roff_options(command) + roff_footer(command.footer) + ".SH \"SEE ALSO\"\n" +
         roff_bold("bracket") + "(1)\n";
}

std::string man_page(const CommandHelp& program, const std::vector<CommandHelp>& subcommands) {
  std::string all =
      roff_heading("bracket", "reduce numbers to the same bits on any number of ranks") +
      roff_synopsis(program) + ".SH DESCRIPTION\n" + roff_paragraphs(program.description) +
      ".SH SUBCOMMANDS\n";
  for (const CommandHelp& command : subcommands) {
    all += ".TP\n" + roff_bold("bracket-" + command.name) + "(1)\n" +
           roff_escaped(command.description) + '\n';
  }
  return all + roff_options(program) + roff_footer(program.footer);
}

}  // namespace bracket::tools
