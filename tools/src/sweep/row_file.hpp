#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace bracket::tools {

/// A file to which rows are added one by one, each whole and at once, and which is gone on with
/// where it ends: `.csv`, whose first line says the columns, or `.jsonl`, a JSON object on each
/// line. It is locked against other programs that add to it.
class RowFile {
 public:
  /// `settings` are the keys that tell one row from another, `results` the others; the first of
  /// either is in every row. A file that is
  /// there keeps its rows, but for a last one without its end. Throws `Error` for another name,
  /// a file that cannot be written or is locked, another first line, or a line that is no row.
  RowFile(const std::filesystem::path& path, std::vector<std::string> settings,
          const std::vector<std::string>& results);
  ~RowFile();
  RowFile(const RowFile&) = delete;
  RowFile& operator=(const RowFile&) = delete;

  /// Whether there is a row of the same settings. Throws `Error` for settings that would not be
  /// the same when they are read again: with line breaks, or not UTF-8.
  [[nodiscard]] bool has(const nlohmann::ordered_json& row) const;

  /// Throws `Error` if it cannot be written.
  void add(const nlohmann::ordered_json& row);

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
  bool left_empty_ = false;  // made by this object, without a row so far
  bool header_due_ = false;  // before the first row
  int file_ = -1;
  std::set<std::vector<std::string>> rows_;  // by settings
};

}  // namespace bracket::tools
