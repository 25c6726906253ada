// SPDX-License-Identifier: MIT

#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace bracket::tools {

/// Returns "; did you mean WORD?" with the nearest of `names` to `written`, or an empty string if
/// no name is near. A near name differs by at most one edit per three characters. An edit inserts,
/// removes or changes a character or swaps two neighbours.
std::string suggestion(const std::string& written, const std::vector<std::string>& names);

/// Describes the words that neither `app` nor its parsed subcommand knows, in the order in which
/// they were written; empty if there are no such words.
std::string unknown_words(const CLI::App& app);

}  // namespace bracket::tools
