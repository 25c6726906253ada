#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "bracket/model/range.hpp"

namespace bracket::tools {

/// Options with which `bench` starts a launcher itself: `-p`, `--launcher`, `--oversubscribe`.
struct LaunchOptions {
  std::vector<Rank> ranks;
  std::string launcher;
  bool oversubscribe = false;

  void add_to(CLI::App& command);

  /// Throws `Error` if one of the options is given to a rank of a launch.
  static void refuse(const CLI::App& command);
};

}  // namespace bracket::tools
