#include "program.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <new>
#include <sstream>

#include "bracket/model/error.hpp"
#include "version.hpp"

namespace bracket::tools {

void set_up(CLI::App& app) {
  app.name("bracket");
  app.description(
      "Reduction schedules: the same bits on any number of ranks, modelled, simulated, executed,\n"
      "measured and drawn.");
  app.set_version_flag("--version", "bracket " BRACKET_VERSION);
  app.require_subcommand(1);
  app.failure_message([](const CLI::App*, const CLI::Error& failure) {
    return fmt::format("bracket: {}\n", failure.what());
  });
}

bool understands(const CLI::App& app, int argc, char** argv) {
  if (argc < 2) return false;
  const std::string word = argv[1];
  return word == "-h" || word == "--help" || word == "--version" ||
         !app.get_subcommands([&](const CLI::App* command) { return command->check_name(word); })
              .empty();
}

namespace {

/// Data that could not be written was not delivered.
void flush_output() {
  if (!std::cout.flush() || std::fflush(stdout) != 0) {
    throw Error("standard output cannot be written");
  }
}

/// CLI11 says of a missing or misspelt subcommand only that one is required.
void check_subcommand(const CLI::App& app, int argc, char** argv) {
  if (understands(app, argc, argv) || (argc >= 2 && argv[1][0] == '-')) return;
  std::string known;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    known += (known.empty() ? "" : ", ") + command->get_name();
  }
  if (argc < 2) {
    throw Error(fmt::format("a subcommand is needed: {}; --help describes them", known));
  }
  throw Error(fmt::format("unknown subcommand '{}'; known: {}", argv[1], known));
}

}  // namespace

int run_program(CLI::App& app, int argc, char** argv, const std::function<bool()>& speaks,
                const std::function<void(const std::string& why)>& not_run) {
  try {
    try {
      check_subcommand(app, argc, argv);
      app.parse(argc, argv);
    } catch (const CLI::ParseError& outcome) {
      std::ostringstream out;
      std::ostringstream err;
      const int code = app.exit(outcome, out, err);
      not_run(code == 0 ? "" : outcome.what());
      if (speaks()) {
        std::cerr << err.str() << std::flush;
        std::cout << out.str();
        flush_output();
      }
      return code == 0 ? 0 : exit_code_bad_input;
    } catch (const std::exception& failure) {
      not_run(failure.what());
      throw;
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
