// SPDX-License-Identifier: MIT

#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bracket/model/range.hpp"
#include "report/row_names.hpp"

namespace bracket::tools {

/// What figures are made with.
struct FigureSettings {
  bool quick = false;          ///< few and small sizes
  std::filesystem::path data;  ///< folder of published inputs and times; may be missing
  Rank ranks = 1;              ///< ranks on which sums are measured
  bool oversubscribe = false;  ///< whether sums may use more ranks than cores
  std::string launcher;        ///< as of `compare`
};

/// Runs `bracket` for figures. Figures that need the rows of one command share them.
class FigureRuns {
 public:
  using Words = std::vector<std::string>;

  explicit FigureRuns(FigureSettings settings);

  [[nodiscard]] const FigureSettings& settings() const { return settings_; }

  /// Returns the rows of `bracket WORDS --json`. Throws `Error` if the command fails.
  [[nodiscard]] PlottedRows rows(const Words& words) const;

  /// The same on `ranks` ranks of the launcher.
  [[nodiscard]] PlottedRows rows_on(Rank ranks, const Words& words) const;

  /// Returns the content of the machine file that `calibrate` makes on the ranks of the settings.
  [[nodiscard]] std::string calibration() const;

  /// Runs a command that writes the file which `words` names last, and returns its content.
  [[nodiscard]] std::string file_of(const Words& words, const std::string& ending) const;

  /// Returns the content of a file of the folder of data; empty if there is no such file.
  [[nodiscard]] std::optional<std::string> published(const std::string& file) const;

 private:
  [[nodiscard]] PlottedRows rows_of(Words command) const;
  [[nodiscard]] Words command_on(Rank ranks, const Words& words) const;

  FigureSettings settings_;
  std::string front_;
  mutable std::map<Words, PlottedRows> known_;  // by command
};

/// A list for an option: the values with commas between them.
std::string joined(const std::vector<std::string>& values);
std::string joined(const std::vector<Index>& values);

}  // namespace bracket::tools
