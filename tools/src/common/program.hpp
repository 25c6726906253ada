#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "bracket/support/error.hpp"

namespace bracket::tools {

/// What is wrong was said on stderr before.
class SaidError : public Error {
 public:
  SaidError() : Error("") {}
};

/// What all programs behind the `bracket` command share: parses, runs, and turns `Error` and
/// misused options into one line on stderr and exit code 2. `speaks` is false on ranks that
/// must not repeat it. `not_run` is called where that comes of the words, with why nothing is run,
/// and with nothing for `--help` and `--version`; what it throws is said instead.
int run_program(
    CLI::App& app, int argc, char** argv, const std::function<bool()>& speaks,
    const std::function<void(const std::string& why)>& not_run = [](const auto&) {});

/// Whether the first word is a subcommand of `app`, or asks for its help or version.
bool understands(const CLI::App& app, int argc, char** argv);

/// Requires exactly one subcommand and gives `--version`.
void set_up(CLI::App& app);

}  // namespace bracket::tools
