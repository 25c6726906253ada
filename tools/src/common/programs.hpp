// SPDX-License-Identifier: MIT

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bracket/model/range.hpp"
#include "common/commands.hpp"

/// The programs behind the front. SimGrid's library exports MPI's symbols, so code that needs
/// SimGrid and code that needs MPI cannot share a process.
namespace bracket::tools {

/// Returns the path of the program that has `command`, which is beside this program or in its
/// libexec folder. Throws `Error`, which names the missing part, if it is in neither.
std::filesystem::path locate(const Command& command);

/// Replaces this process by the program that has `command`, with the same arguments. Returns only
/// by throwing `Error`.
[[noreturn]] void hand_over(const Command& command, char** argv);

/// The launcher of the MPI library that this build uses, with `{ranks}` for their number.
std::string default_launcher();

/// Number of cores that this process may use.
Rank cores();

/// Returns the words of a launcher that starts `ranks` ranks: replaces `{ranks}`, or else adds `-n`
/// and their number. Throws `Error` if `launcher` has no word.
std::vector<std::string> launcher_words(const std::string& launcher, Rank ranks);

}  // namespace bracket::tools
