// SPDX-License-Identifier: MIT

#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace bracket::tools {

/// Describes the first given option of `command` that excludes others that are given, and what to
/// leave out; empty if there is no such option. CLI11 names two of them, by their long names.
std::string exclusion(const CLI::App& command);

/// Parses the words of a command, from the last to the first. Throws `Error` for options that
/// exclude each other.
void parse_words(CLI::App& command, std::vector<std::string> words);

}  // namespace bracket::tools
