// SPDX-License-Identifier: MIT

#include "help/help_command.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "bracket/support/error.hpp"
#include "bracket/support/file.hpp"
#include "bracket/support/text.hpp"
#include "common/command_help.hpp"
#include "common/commands.hpp"
#include "common/programs.hpp"
#include "common/spawn.hpp"
#include "help/completions.hpp"
#include "help/man_page.hpp"

namespace bracket::tools {

namespace fs = std::filesystem;

namespace {

char help_flag[] = "--help";

/// Returns the help of the subcommands of a program behind the front; nothing if this build lacks
/// it.
std::vector<CommandHelp> help_of_program(const Command& command) {
  std::string program;
  try {
    program = locate(command).string();
  } catch (const Error&) {
    return {};
  }
  return nlohmann::json::parse(output_of({program, help_as_data}));
}

/// Returns the help of every subcommand that this build has, in the sequence of the help.
std::vector<CommandHelp> help_of_all(const CLI::App& app) {
  std::map<std::string, std::vector<CommandHelp>> behind;
  for (const Command& row : commands()) {
    if (row.program.empty() || behind.contains(row.program)) continue;
    behind[row.program] = help_of_program(row);
  }
  std::vector<CommandHelp> all;
  for (const CLI::App* const command : app.get_subcommands({})) {
    if (!command->get_prefix_command()) {
      all.push_back(help_of(*command));
      continue;
    }
    for (CommandHelp& help : behind[command_named(command->get_name()).program]) {
      if (help.name == command->get_name()) all.push_back(std::move(help));
    }
  }
  return all;
}

void write(const fs::path& file, const std::string& content) {
  std::error_code failure;
  fs::create_directories(file.parent_path(), failure);
  if (failure) {
    throw Error(text(file.parent_path().string(), ": cannot be made: ", failure.message()));
  }
  support::write_file(file, content);
}

/// Writes man pages and completions where the shells look for them below `share`.
void write_help(const CLI::App& app, const fs::path& share) {
  CommandHelp program = help_of(app);
  program.usage = "bracket [OPTIONS] SUBCOMMAND ...";
  const std::vector<CommandHelp> all = help_of_all(app);
  write(share / "man/man1/bracket.1", man_page(program, all));
  for (const CommandHelp& command : all) {
    write(share / "man/man1" / ("bracket-" + command.name + ".1"), man_page(command));
  }
  write(share / "bash-completion/completions/bracket", bash_completion(program, all));
  write(share / "zsh/site-functions/_bracket", zsh_completion(program, all));
  write(share / "fish/vendor_completions.d/bracket.fish", fish_completion(program, all));
}

}  // namespace

std::vector<char*> help_as_option(int argc, char** argv) {
  std::vector<char*> words(argv, argv + argc + 1);
  if (argc < 2 || argc > 3 || words[1] != std::string_view("help")) return words;
  if (argc == 3 && words[2][0] == '-') return words;  // an option of `help` itself
  words[1] = argc == 3 ? words[2] : help_flag;
  if (argc == 3) words[2] = help_flag;
  return words;
}

void add_help(CLI::App& app) {
  auto* const command = app.add_subcommand("help", "Print this help or the help of a subcommand");
  struct Options {
    std::string subcommand;
    std::string share;
  };
  const auto options = std::make_shared<Options>();
  auto* const subcommand =
      command->add_option("subcommand", options->subcommand, "subcommand to describe")
          ->type_name("COMMAND");
  command
      ->add_option("--write", options->share,
                   "write man pages and completions for bash, zsh and fish to this folder, which "
                   "is the share folder of a prefix")
      ->type_name("FOLDER")
      ->excludes(subcommand);
  command->callback([options, &app] {
    if (options->share.empty()) {
      throw Error("bracket help COMMAND was expected, with at most one COMMAND");
    }
    write_help(app, options->share);
  });
}

}  // namespace bracket::tools
