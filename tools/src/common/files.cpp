// SPDX-License-Identifier: MIT

#include "common/files.hpp"

#include <filesystem>
#include <string>
#include <vector>

#include "bracket/support/error.hpp"
#include "bracket/support/file.hpp"
#include "bracket/support/text.hpp"

namespace bracket::tools {

namespace {

namespace fs = std::filesystem;

/// Returns whether both names refer to the same file, also through links and hard links.
bool same_file(const std::string& one, const std::string& other) {
  std::error_code none;
  if (fs::equivalent(one, other, none)) return true;
  const auto canonical = [&](const std::string& file) {
    return fs::weakly_canonical(support::without_links(fs::absolute(file)), none);
  };
  return canonical(one) == canonical(other);
}

/// Returns whether writing to `file` could destroy content.
bool may_lose(const std::string& file) {
  std::error_code none;
  const auto status = fs::status(file, none);
  return !fs::exists(status) || fs::is_regular_file(status);
}

}  // namespace

void check_outputs(const CLI::App& command, const std::vector<std::string>& outputs,
                   const std::vector<std::string>& inputs) {
  struct Named {
    std::string option;
    std::string file;
  };
  std::vector<Named> named;
  for (const std::string& option : inputs) {
    for (const std::string& file : command.get_option(option)->results()) {
      if (file.find_first_of("./") != std::string::npos) named.push_back({option, file});
    }
  }
  for (const std::string& option : outputs) {
    for (const std::string& file : command.get_option(option)->results()) {
      if (file.empty()) throw Error(text(option, " is empty: a file's name was expected"));
      if (may_lose(file)) {
        for (const Named& other : named) {
          if (!same_file(file, other.file)) continue;
          throw Error(
              text(option, ' ', file, " is also the file of ", other.option, ": it would be lost"));
        }
      }
      support::check_writable(file);
      named.push_back({option, file});
    }
  }
}

}  // namespace bracket::tools
