// SPDX-License-Identifier: MIT

#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

namespace bracket::tools {

/// Prints `--help` with lines of at most 100 columns. The default of an option follows its
/// description. CLI11's lists of excluded and needed options are left out: the descriptions name
/// such options where it matters.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter();
  std::string make_description(const CLI::App* app) const override;
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
  std::string make_footer(const CLI::App* app) const override;
  std::string make_subcommand(const CLI::App* command) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
};

/// The groups of the options in the help. Options without a group, such as --help, come last: they
/// are looked for the least.
std::vector<std::string> groups_of(const CLI::App& command);

/// The options of a group, without arguments.
std::vector<const CLI::Option*> options_in(const CLI::App& command, const std::string& group);

/// The description of an option, with its default.
std::string described(const CLI::Option& option);

/// Makes option `name` of `command` need `other`, and its description say so. Returns the option.
CLI::Option* need_in_words(CLI::App& command, const std::string& name, CLI::Option* other);

/// Puts a paragraph before the footer that all commands have.
void add_footer(CLI::App& command, const std::string& paragraph);

/// Puts the options that a command gets while this object exists into one group of its help.
class HelpGroup {
 public:
  HelpGroup(CLI::App& command, const std::string& name)
      : defaults_(command.option_defaults()), before_(defaults_->get_group()) {
    defaults_->group(name);
  }
  ~HelpGroup() { defaults_->group(before_); }
  HelpGroup(const HelpGroup&) = delete;
  HelpGroup& operator=(const HelpGroup&) = delete;

 private:
  CLI::OptionDefaults* defaults_;
  std::string before_;
};

}  // namespace bracket::tools
