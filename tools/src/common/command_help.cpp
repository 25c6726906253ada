// SPDX-License-Identifier: MIT

#include "common/command_help.hpp"

#include "bracket/support/text.hpp"
#include "common/help.hpp"

namespace bracket::tools {

namespace {

OptionHelp option_help(const CLI::Option& option) {
  OptionHelp help;
  if (option.nonpositional()) {
    for (const std::string& name : option.get_snames()) help.names.push_back(text("-", name));
    for (const std::string& name : option.get_lnames()) help.names.push_back(text("--", name));
    help.group = option.get_group();
  } else {
    help.names.push_back(option.get_name(true));
  }
  if (option.get_type_size() != 0) help.value = option.get_type_name();
  help.description = described(option);
  return help;
}

}  // namespace

CommandHelp help_of(const CLI::App& command) {
  CommandHelp help;
  help.name = command.get_name();
  help.description = command.get_description();
  std::string usage = CLI::Formatter().make_usage(&command, "bracket " + help.name);
  usage.erase(0, usage.find("bracket "));
  help.usage = usage.substr(0, usage.find('\n'));
  for (const CLI::Option* const option : command.get_options()) {
    if (option->get_positional() && !option->get_group().empty()) {
      help.arguments.push_back(option_help(*option));
    }
  }
  for (const std::string& group : groups_of(command)) {
    for (const CLI::Option* const option : options_in(command, group)) {
      help.options.push_back(option_help(*option));
    }
  }
  help.footer = command.get_footer();
  return help;
}

void add_help_as_data(CLI::App& app) {
  app.add_flag_callback(help_as_data,
                        [&app] {
                          std::vector<CommandHelp> all;
                          for (const CLI::App* const command : app.get_subcommands({})) {
                            all.push_back(help_of(*command));
                          }
                          // CLI11 prints the words of this exception, and the program succeeds.
                          throw CLI::CallForVersion(nlohmann::json(all).dump(), 0);
                        })
      ->group("");
}

}  // namespace bracket::tools
