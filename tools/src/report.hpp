#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace bracket::tools {

/// "1 message", "2 messages".
std::string counted(std::int64_t count, const std::string& what);

/// One column of a report: the JSON key, its heading for people and how a value is shown.
struct Column {
  enum class Shown { plain, microseconds, percent };
  std::string key;
  std::string heading;
  Shown shown = Shown::plain;
};

/// Rows of figures, as an aligned table or as JSON lines, on stdout. A key that a row lacks is an
/// empty cell, and absent from the JSON; a column without any value is left out.
class Report {
 public:
  Report(std::vector<Column> columns, bool json) : columns_(std::move(columns)), json_(json) {}

  /// JSON lines appear at once, the table with `finish`. Keys without a column appear in JSON only.
  void row(nlohmann::ordered_json row);
  void finish();

 private:
  std::vector<Column> columns_;
  bool json_;
  std::vector<nlohmann::ordered_json> rows_;
};

/// A line on stderr that is overwritten by the next, if stderr is a terminal; nothing otherwise.
class Progress {
 public:
  ~Progress() { clear(); }
  void say(const std::string& what);
  void clear();

 private:
  bool shown_ = false;
};

}  // namespace bracket::tools
