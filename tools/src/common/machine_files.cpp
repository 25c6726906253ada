// SPDX-License-Identifier: MIT

#include "common/machine_files.hpp"

#include <algorithm>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::tools {

namespace {

namespace fs = std::filesystem;

/// Folders that may have machine files, relative to this program: in the build tree, for installed
/// programs, and for installed programs that the front starts.
std::vector<fs::path> machine_folders() {
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  const fs::path installed = fs::path(BRACKET_DATADIR) / "bracket" / "machines";
  return {here / "share" / "bracket" / "machines", here / ".." / installed,
          here / ".." / ".." / installed};
}

}  // namespace

std::vector<InstalledMachine> installed_machines() {
  std::vector<InstalledMachine> machines;
  for (const fs::path& folder : machine_folders()) {
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder, none)) {
      const fs::path& file = entry.path();
      if (file.extension() != ".json" || !entry.is_regular_file(none)) continue;
      machines.push_back({file.stem().string(), file.lexically_normal()});
    }
    if (!machines.empty()) break;
  }
  std::sort(machines.begin(), machines.end(),
            [](const auto& left, const auto& right) { return left.name < right.name; });
  return machines;
}

fs::path machine_file(const std::string& written) {
  std::error_code none;
  if (written.find('/') != std::string::npos || written.ends_with(".json")) return written;
  if (fs::exists(written, none) && !fs::is_directory(written, none)) return written;
  std::string known;
  for (const InstalledMachine& machine : installed_machines()) {
    if (machine.name == written) return machine.file;
    known += (known.empty() ? "" : ", ") + machine.name;
  }
  throw Error(text("unknown machine '", excerpt(written),
                   "': neither a file nor an installed machine; known: ",
                   known.empty() ? "none is installed" : known));
}

}  // namespace bracket::tools
