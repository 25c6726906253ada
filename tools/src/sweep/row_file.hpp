// SPDX-License-Identifier: MIT

#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace bracket::tools {

/// A file to which rows are appended one by one. Each row is written whole and at once. An existing
/// file is continued at its end. The format is `.csv`, whose first line names the columns, or
/// `.jsonl`, with a JSON object on each line: formats that other programs read, unlike a
/// database's. The file is locked against other programs that add rows.
class RowFile {
 public:
  /// `settings` are the keys that distinguish rows, and `results` the other keys. Every row has the
  /// first key of each. An existing file keeps its rows, except an unfinished last one. Throws
  /// `Error` for another extension, a file that is locked or cannot be written, another first line,
  /// or a line that is not a row.
  RowFile(const std::filesystem::path& path, std::vector<std::string> settings,
          const std::vector<std::string>& results);
  ~RowFile();
  RowFile(const RowFile&) = delete;
  RowFile& operator=(const RowFile&) = delete;

  /// Whether the file has a row with the same settings. Throws `Error` for settings with line
  /// breaks or without UTF-8: they would not be the same when they are read again.
  [[nodiscard]] bool has(const nlohmann::ordered_json& row) const;

  /// Appends a row. Throws `Error` if the file cannot be written.
  void add(const nlohmann::ordered_json& row);

  /// Reads the rows back whose cells of the settings are in `settings`, in the sequence of the
  /// file. Rows of a `.csv` have only the keys that the file has.
  [[nodiscard]] std::vector<nlohmann::ordered_json> rows(
      const std::set<std::vector<std::string>>& settings) const;

 private:
  void take(std::string content);
  void drop_torn(const std::string& line, std::size_t number, std::size_t begin);
  void take_row(const std::string& line, std::size_t number);
  void check_cells(const nlohmann::ordered_json& row) const;
  void write(const std::string& line);

  std::filesystem::path path_;
  std::vector<std::string> settings_;
  std::vector<std::string> columns_;
  bool csv_;
  bool left_empty_ = false;  // created by this object and still without rows
  bool header_due_ = false;  // still to be written, before the first row
  int file_ = -1;
  std::set<std::vector<std::string>> rows_;  // by settings
};

}  // namespace bracket::tools
