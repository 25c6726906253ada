// SPDX-License-Identifier: MIT

#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace bracket::tools {

/// Checks options of `command` that name files; call it before any work is done. Throws `Error` if
/// one of `outputs` cannot be written, or if it is also the file of another output or of one of
/// `inputs`, which it would replace. An input that accepts names as well is a file if it contains a
/// dot or a slash. Files that are not regular (a terminal, /dev/null) have no content to lose.
void check_outputs(const CLI::App& command, const std::vector<std::string>& outputs,
                   const std::vector<std::string>& inputs = {});

}  // namespace bracket::tools
