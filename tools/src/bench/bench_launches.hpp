// SPDX-License-Identifier: MIT

#pragma once

#include <CLI/CLI.hpp>

namespace bracket::tools {

/// Whether these words ask `bench` to start a launcher itself: `-p` is among them, and this process
/// has no launcher.
bool launches_bench(int argc, char** argv);

/// Gives `command` the options of such a `bench`. It starts `bench` once for each number of ranks,
/// with the other words of its command line, and shows all rows with the speedup of each candidate.
void add_bench_launches(CLI::App& command);

}  // namespace bracket::tools
