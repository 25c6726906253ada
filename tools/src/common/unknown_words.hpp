#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace bracket::tools {

/// "; did you mean WORD?" with the one of `names` that is nearest to `written`, or nothing if none
/// is near: one edit for every three characters, where an edit inserts, removes or changes a
/// character or swaps two neighbours.
std::string suggestion(const std::string& written, const std::vector<std::string>& names);

/// What is wrong with the words that neither `app` nor its subcommand that was parsed knows, in the
/// order in which they were written; empty if there are none.
std::string unknown_words(const CLI::App& app);

}  // namespace bracket::tools
