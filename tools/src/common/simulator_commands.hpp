#pragma once

#include <CLI/CLI.hpp>

/// The subcommands of `bracket-simulate`, one per file.
namespace bracket::tools {

void add_simulate(CLI::App& app, int argc, char** argv);
void add_tune(CLI::App& app);

}  // namespace bracket::tools
