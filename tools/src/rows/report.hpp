#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace bracket::tools {

/// "1 message", "2 messages".
std::string counted(std::int64_t count, const std::string& what);

/// Rounds every number with a fraction in a JSON value to four significant digits.
void round_numbers(nlohmann::ordered_json& json);

/// One column of a report: the JSON key, its heading for people and how a value is shown, and what
/// is shown where a row lacks the key.
struct Column {
  enum class Shown { plain, microseconds, percent, share, ratio, rounded };
  std::string key;
  std::string heading;
  Shown shown = Shown::plain;
  std::string absent{};
};

/// How a report comes out.
enum class Form {
  table,       ///< aligned, for people
  json_lines,  ///< a JSON object for each row, on a line of its own
  csv,         ///< comma-separated values of all columns, their keys in the first line
};

/// Rows of figures on stdout. A key that a row lacks is an empty cell of the table, and absent from
/// the JSON; a column without any value is left out of the table. What keys mean is in `row_keys`.
class Report {
 public:
  Report(std::vector<Column> columns, Form form) : columns_(std::move(columns)), form_(form) {}
  Report(std::vector<Column> columns, bool json)
      : Report(std::move(columns), json ? Form::json_lines : Form::table) {}

  /// Lines above a table; JSON and CSV are without.
  void title(const std::string& title) { title_ = title; }

  /// JSON and CSV appear at once, the table with `finish`. Keys without a column appear in JSON
  /// only.
  void row(nlohmann::ordered_json row);
  void finish();

 private:
  void print_table();

  std::vector<Column> columns_;
  Form form_;
  std::string title_;
  bool any_ = false;  // was printed as CSV
  std::vector<nlohmann::ordered_json> rows_;
};

/// Says on stderr what is being done: on a terminal in one line that is overwritten by the next;
/// elsewhere in a line every `interval`, the first of them so long after the beginning, or `first`.
class Progress {
 public:
  using Clock = std::chrono::steady_clock;
  explicit Progress(Clock::duration interval = std::chrono::seconds(10))
      : Progress(interval, interval) {}
  Progress(Clock::duration interval, Clock::duration first);
  ~Progress() { clear(); }
  void say(const std::string& what);
  void clear();

 private:
  bool terminal_;
  bool shown_ = false;
  Clock::duration interval_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point next_;
};

}  // namespace bracket::tools
