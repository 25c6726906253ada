// SPDX-License-Identifier: MIT

#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace bracket::tools {

/// A machine file that is installed with this program.
struct InstalledMachine {
  std::string name;  ///< the file's name without `.json`
  std::filesystem::path file;
};

/// Returns the installed machines, sorted by name; empty if there is no folder of them.
std::vector<InstalledMachine> installed_machines();

/// Returns the file that `--machine` refers to: `written` itself if it is an existing file,
/// contains a slash or ends in `.json`; otherwise the file of the installed machine of this name.
/// Throws `Error`, which names the known machines, if there is no such machine.
std::filesystem::path machine_file(const std::string& written);

}  // namespace bracket::tools
