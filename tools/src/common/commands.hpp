#pragma once

#include <CLI/CLI.hpp>

/// The subcommands of the front, one per file. Those with `--sweep` also get the command line.
namespace bracket::tools {

void add_list(CLI::App& app);
void add_count(CLI::App& app, int argc, char** argv);
void add_compare(CLI::App& app);
void add_validate(CLI::App& app);
void add_fit(CLI::App& app);
void add_draw(CLI::App& app);
void add_verify(CLI::App& app);

}  // namespace bracket::tools
