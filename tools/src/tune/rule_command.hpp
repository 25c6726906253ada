// SPDX-License-Identifier: MIT

#pragma once

#include <CLI/CLI.hpp>

namespace bracket::tools {

/// Whether these words ask `tune` for rules of an MPI library: `--for` is among them.
bool asks_for_rules(int argc, char** argv);

/// Gives `command` the options of such a `tune`, which starts `reveal` on the ranks of a launcher
/// and writes the file of rules.
void add_rules(CLI::App& command);

}  // namespace bracket::tools
