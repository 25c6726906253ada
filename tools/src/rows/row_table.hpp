// SPDX-License-Identifier: MIT

#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace bracket::tools {

/// Returns a count with its noun: "1 message", "2 messages".
std::string counted(std::int64_t count, const std::string& what);

/// Rounds every number with a fraction in a JSON value to four significant digits.
void round_numbers(nlohmann::ordered_json& json);

/// One column of a table: the JSON key, the heading for people, the format of a value, and the
/// text for a row without the key.
struct Column {
  enum class Shown {
    plain,
    microseconds,
    percent,
    share,
    ratio,
    rounded,
    tenths,  ///< with one decimal, rounded down
    number   ///< with as few digits as identify it
  };
  std::string key;
  std::string heading;
  Shown shown = Shown::plain;
  std::string absent{};
};

/// Returns a row's cell as people read it.
std::string cell_text(const Column& column, const nlohmann::ordered_json& row);

/// Whether a column has words, which are aligned to the left.
bool has_words(const Column& column, const std::vector<nlohmann::ordered_json>& rows);

/// Removes the columns that no row has.
void drop_absent(std::vector<Column>& columns, const std::vector<nlohmann::ordered_json>& rows);

/// Format of a table of rows.
enum class Form {
  table,       ///< aligned, for people
  json_lines,  ///< a JSON object for each row, on a line of its own
  csv,         ///< comma-separated values of all columns, with their keys in the first line
};

/// Rows of figures on stdout. A missing key gives an empty cell in the table and is absent from the
/// JSON. The table leaves out a column without any value. `row_keys` has the meanings of keys.
class RowTable {
 public:
  RowTable(std::vector<Column> columns, Form form) : columns_(std::move(columns)), form_(form) {}
  RowTable(std::vector<Column> columns, bool json)
      : RowTable(std::move(columns), json ? Form::json_lines : Form::table) {}

  /// Sets the lines above a table. JSON and CSV have no title.
  void title(const std::string& title) { title_ = title; }

  /// Adds a row. JSON and CSV are printed at once, the table by `finish`. Only JSON has keys
  /// without a column.
  void row(nlohmann::ordered_json row);
  void finish();

  /// Makes a table in JSON or CSV keep its rows, as the others do, for `rows`.
  void keep_rows() { keeps_ = true; }
  [[nodiscard]] const std::vector<nlohmann::ordered_json>& rows() const { return rows_; }
  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }

 private:
  void print_table();

  std::vector<Column> columns_;
  Form form_;
  std::string title_;
  bool any_ = false;  // whether a CSV row was printed
  bool keeps_ = false;
  std::vector<nlohmann::ordered_json> rows_;
};

/// Shows progress on stderr. On a terminal, each message overwrites the one before. Elsewhere,
/// prints at most one line per `interval`, and the first line after `first` (default: `interval`).
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
