// SPDX-License-Identifier: MIT

#include "figures/figure_runs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <sstream>
#include <utility>

#include "bracket/support/error.hpp"
#include "bracket/support/file.hpp"
#include "bracket/support/text.hpp"
#include "common/programs.hpp"
#include "common/spawn.hpp"

namespace bracket::tools {

namespace fs = std::filesystem;

namespace {

/// A folder that is removed with what it holds.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::error_code none;
    const fs::path folder = fs::temp_directory_path(none);
    if (none) throw Error("TMPDIR, the folder for temporary files, is not a folder");
    path_ = (folder / "bracket-figures-XXXXXX").string();
    if (::mkdtemp(path_.data()) == nullptr) throw Error(text(path_, ": cannot be made"));
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  [[nodiscard]] fs::path path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

FigureRuns::FigureRuns(FigureSettings settings)
    : settings_(std::move(settings)), front_(fs::read_symlink("/proc/self/exe").string()) {}

PlottedRows FigureRuns::rows_of(Words command) const {
  command.emplace_back("--json");
  const auto [found, is_new] = known_.try_emplace(command);
  PlottedRows& rows = found->second;
  if (!is_new) return rows;
  std::istringstream lines(output_of(command));
  for (std::string line; std::getline(lines, line);) {
    rows.push_back(nlohmann::ordered_json::parse(line));
  }
  return rows;
}

FigureRuns::Words FigureRuns::command_on(Rank ranks, const Words& words) const {
  Words command = ranks == 1 ? Words{} : launcher_words(settings_.launcher, ranks);
  command.push_back(front_);
  command.insert(command.end(), words.begin(), words.end());
  return command;
}

PlottedRows FigureRuns::rows(const Words& words) const { return rows_of(command_on(1, words)); }

PlottedRows FigureRuns::rows_on(Rank ranks, const Words& words) const {
  return rows_of(command_on(ranks, words));
}

std::string FigureRuns::calibration() const {
  return output_of(
      command_on(settings_.ranks, {"calibrate", "--quick", "--operations",
                                   "binned:3,pre-rounded:2,maximum/float64", "--json"}));
}

std::string FigureRuns::file_of(const Words& words, const std::string& ending) const {
  const ScratchFolder folder;
  const std::string file = (folder.path() / ("file" + ending)).string();
  Words command = command_on(1, words);
  command.push_back(file);
  static_cast<void>(output_of(command));
  return support::read_file(file);
}

std::optional<std::string> FigureRuns::published(const std::string& file) const {
  std::error_code none;
  const fs::path path = settings_.data / file;
  if (!fs::exists(path, none)) return {};
  return support::read_file(path);
}

std::string joined(const std::vector<std::string>& values) {
  return fmt::format("{}", fmt::join(values, ","));
}

std::string joined(const std::vector<Index>& values) {
  return fmt::format("{}", fmt::join(values, ","));
}

}  // namespace bracket::tools
