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

/// The installed machines by name; none where there is no folder of them.
std::vector<InstalledMachine> installed_machines();

/// The file that `--machine` means: `written` itself if it is an existing file, contains a slash or
/// ends in `.json`, or else the installed machine of this name. Throws `Error`, naming the known
/// ones, if there is none.
std::filesystem::path machine_file(const std::string& written);

}  // namespace bracket::tools
