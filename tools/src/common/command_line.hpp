// SPDX-License-Identifier: MIT

#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "bracket/support/error.hpp"

namespace bracket::tools {

/// Error that was already printed on stderr.
class SaidError : public Error {
 public:
  SaidError() : Error("") {}
};

/// Parses the command line and runs a program behind the `bracket` command. Turns `Error` and
/// misused options into one line on stderr and exit code 2. `speaks` returns false on ranks that
/// must not repeat that line. If the command line is the reason that nothing runs, `not_run` gets
/// that reason, or an empty string for `--help` and `--version`. If `not_run` throws, its error is
/// printed instead.
int run_program(
    CLI::App& app, int argc, char** argv, const std::function<bool()>& speaks,
    const std::function<void(const std::string& why)>& not_run = [](const auto&) {});

/// Returns whether the first word is a subcommand of `app`, or asks for its help or version.
bool understands(const CLI::App& app, int argc, char** argv);

/// Sets the name, the help and `--version` of `app`, and requires exactly one subcommand.
void set_up(CLI::App& app);

}  // namespace bracket::tools
