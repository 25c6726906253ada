// SPDX-License-Identifier: MIT

#include "common/command_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <new>
#include <sstream>
#include <vector>

#include "bracket/support/error.hpp"
#include "common/command_help.hpp"
#include "common/commands.hpp"
#include "common/exclusions.hpp"
#include "common/help.hpp"
#include "common/options.hpp"
#include "common/parts.hpp"
#include "common/unknown_words.hpp"

namespace bracket::tools {

void set_up(CLI::App& app) {
  app.name("bracket");
  app.description(
      "Bracket reduces numbers to the same bits on any number of ranks. It models, simulates, "
      "executes, measures and draws the schedules of these reductions.\n"
      "The thesis: C. Stelz, Core-Count Independent Reproducible Reduce, Karlsruhe 2022.");
  app.set_version_flag("--version", version_text, "Print the version and the parts of this build");
  add_help_as_data(app);
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpFormatter>());
  // Subcommands inherit the footer.
  app.footer(
      fmt::format("Exit code: 0 for success, {} for rejected input or any other failure; mpiexec "
                  "may change it.",
                  exit_code_bad_input));
}

bool understands(const CLI::App& app, int argc, char** argv) {
  if (argc < 2) return false;
  const std::string word = argv[1];
  return word == "-h" || word == "--help" || word == "--version" ||
         !app.get_subcommands([&](const CLI::App* command) { return command->check_name(word); })
              .empty();
}

namespace {

/// Throws `Error` if output could not be written, so that the exit code shows the loss.
void flush_output() {
  if (!std::cout.flush() || std::fflush(stdout) != 0) {
    throw Error("standard output cannot be written");
  }
}

/// Throws `Error`, which lists the subcommands, if one is missing or unknown. CLI11 only reports
/// that one is required.
void check_subcommand(const CLI::App& app, int argc, char** argv) {
  if (understands(app, argc, argv) || (argc >= 2 && argv[1][0] == '-')) return;
  // Those of all programs: `bracket` hands a command to the one that has it.
  std::vector<std::string> known;
  for (const Command& command : commands()) known.emplace_back(command.name);
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    const std::string& name = command->get_name();
    if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
  }
  if (argc < 2) {
    throw Error(
        fmt::format("a subcommand is needed: {}; --help describes them", fmt::join(known, ", ")));
  }
  const std::string nearest = suggestion(argv[1], known);
  throw Error(fmt::format("unknown subcommand '{}'{} known: {}", excerpt(argv[1]),
                          nearest.empty() ? ";" : nearest, fmt::join(known, ", ")));
}

}  // namespace

int run_program(CLI::App& app, int argc, char** argv, const std::function<bool()>& speaks,
                const std::function<void(const std::string& why)>& not_run) {
  try {
    try {
      check_subcommand(app, argc, argv);
      check_lists(app, argc, argv);
      check_dashes(app, argc, argv);
      app.parse(argc, argv);
    } catch (const CLI::Success& asked) {  // --help or --version
      std::ostringstream out;
      app.exit(asked, out, out);
      not_run("");
      if (speaks()) {
        std::cout << out.str();
        flush_output();
      }
      return 0;
    } catch (const CLI::RuntimeError& end) {  // a command's own exit code
      flush_output();
      return end.get_exit_code();
    } catch (const std::exception& failure) {
      // A misspelt option may leave a required one missing, which CLI11 reports first.
      std::string why = unknown_words(app);
      if (why.empty() && dynamic_cast<const CLI::ExcludesError*>(&failure) != nullptr) {
        for (const CLI::App* const command : app.get_subcommands()) why = exclusion(*command);
      }
      not_run(why.empty() ? failure.what() : why);
      if (why.empty()) throw;
      throw Error(why);
    }
    flush_output();
    return 0;
  } catch (const std::bad_alloc&) {
    if (speaks()) std::cerr << "bracket: there is not enough memory for this size\n" << std::flush;
    return exit_code_bad_input;
  } catch (const SaidError&) {
    return exit_code_bad_input;
  } catch (const std::exception& failure) {
    if (speaks()) std::cerr << fmt::format("bracket: {}\n", failure.what()) << std::flush;
    return exit_code_bad_input;
  }
}

}  // namespace bracket::tools
