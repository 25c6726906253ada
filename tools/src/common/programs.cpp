// SPDX-License-Identifier: MIT

#include "common/programs.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <thread>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "version.hpp"

namespace bracket::tools {

namespace fs = std::filesystem;

fs::path locate(const Command& command) {
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  for (const fs::path& folder : {here, here / ".." / "libexec" / "bracket"}) {
    std::error_code ignored;
    if (fs::is_regular_file(folder / command.program, ignored)) return folder / command.program;
  }
  throw Error(text("`bracket ", command.name, "` needs the ", command.part,
                   ", which this build does not have: ", command.program, " is not in ",
                   here.string()));
}

std::string default_launcher() {
  return text(*BRACKET_MPIEXEC != '\0' ? BRACKET_MPIEXEC : "mpiexec", " -n {ranks}");
}

Rank cores() { return static_cast<Rank>(std::max(1u, std::thread::hardware_concurrency())); }

std::vector<std::string> launcher_words(const std::string& launcher, Rank ranks) {
  const std::string place = "{ranks}";
  std::vector<std::string> words;
  std::istringstream in(launcher);
  bool has_count = false;
  for (std::string word; in >> word;) {
    if (const auto at = word.find(place); at != std::string::npos) {
      word.replace(at, place.size(), std::to_string(ranks));
      has_count = true;
    }
    words.push_back(word);
  }
  if (words.empty()) throw Error("--launcher is empty");
  if (!has_count) words.insert(words.end(), {"-n", std::to_string(ranks)});
  return words;
}

void hand_over(const Command& command, char** argv) {
  const std::string path = locate(command).string();
  ::execv(path.c_str(), argv);
  throw Error(text(path, ": cannot be started: ", std::strerror(errno)));
}

}  // namespace bracket::tools
