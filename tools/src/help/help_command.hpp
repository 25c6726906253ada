// SPDX-License-Identifier: MIT

#pragma once

#include <CLI/CLI.hpp>
#include <vector>

namespace bracket::tools {

/// Replaces `help` by `--help` and `help COMMAND` by `COMMAND --help`, so that the programs behind
/// the front need not know `help`. Returns the words with a null pointer after the last one.
std::vector<char*> help_as_option(int argc, char** argv);

/// Adds `help` to the front, after all other subcommands.
void add_help(CLI::App& app);

}  // namespace bracket::tools
