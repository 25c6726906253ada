// SPDX-License-Identifier: MIT

#pragma once

#include <string>
#include <vector>

namespace bracket::tools {

/// Returns the words of the command line of this process.
std::vector<std::string> command_words();

/// Writes a command line as it can be pasted into a shell: the first word becomes `bracket`. With
/// several `ranks`, begins with `mpiexec -n`.
std::string command_line_of(const std::vector<std::string>& words, int ranks);

}  // namespace bracket::tools
