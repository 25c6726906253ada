// SPDX-License-Identifier: MIT

#include "report/report_options.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "bracket/support/error.hpp"
#include "bracket/support/file.hpp"
#include "bracket/support/text.hpp"
#include "common/files.hpp"
#include "common/help.hpp"

namespace bracket::tools {

namespace fs = std::filesystem;

void ReportOptions::add_to(CLI::App& command) {
  const HelpGroup group(command, "Output");
  auto* const report =
      command
          .add_option_function<std::string>(
              "--report",
              [this](const std::string& given) {
                if (!given.ends_with(".html")) {
                  throw Error(text("--report ", given, ": the name of a report ends in .html"));
                }
                file = given;
              },
              "also write the rows as plots and tables to this page, which any browser shows "
              "without a network; needs gnuplot")
          ->type_name("FILE.html");
  command
      .add_option(
          "--report-sources", sources,
          "also write the numbers (.csv) and the gnuplot commands (.gp) of each plot of the "
          "report to this folder; requires --report")
      ->type_name("FOLDER")
      ->needs(report);
}

void ReportOptions::check(const CLI::App& command) const {
  if (!wanted()) return;
  std::vector<std::string> others;
  for (const CLI::Option* const option : command.get_options()) {
    const std::string name = option->get_name();
    // A hidden option has no name.
    if (!name.empty() && name != "--report" && name != "--report-sources") others.push_back(name);
  }
  check_outputs(command, {"--report"}, others);
  if (sources.empty()) return;
  std::error_code none;
  if (!fs::exists(sources, none)) {
    support::check_writable(sources);  // the folder that will have it
  } else if (!fs::is_directory(sources, none)) {
    throw Error(text("--report-sources ", sources, ": a folder was expected"));
  } else if (::access(sources.c_str(), W_OK) != 0) {
    throw Error(text("--report-sources ", sources, ": cannot be written: ", std::strerror(errno)));
  }
}

}  // namespace bracket::tools
