// SPDX-License-Identifier: MIT

#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace bracket::tools {

/// `--report FILE.html` and `--report-sources FOLDER`.
struct ReportOptions {
  std::string file;
  std::string sources;

  /// Adds the options to the group Output of the help.
  void add_to(CLI::App& command);

  [[nodiscard]] bool wanted() const { return !file.empty(); }

  /// Throws `Error` unless the report can be written, and will not replace a file that another
  /// option of `command` names. Call it before any work is done.
  void check(const CLI::App& command) const;
};

}  // namespace bracket::tools
