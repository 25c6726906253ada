// SPDX-License-Identifier: MIT

#include "sweep/row_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <utility>

#include "bracket/model/json.hpp"
#include "bracket/support/descriptor.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/file.hpp"
#include "bracket/support/text.hpp"
#include "rows/csv.hpp"
#include "rows/row_keys.hpp"

namespace bracket::tools {

namespace {

using Json = nlohmann::ordered_json;

}  // namespace

namespace {

bool is_utf8(const std::string& words) {
  try {
    static_cast<void>(Json(words).dump());
  } catch (const Json::type_error&) {
    return false;
  }
  return true;
}

/// Converts a cell to a value of its key's type. An empty cell is null.
Json value_of(const std::string& key, const std::string& cell) {
  if (cell.empty()) return {};
  for (const RowKeyEntry& entry : row_keys()) {
    if (entry.key != key) continue;
    return entry.type == KeyType::text ? Json(cell) : parse_json(cell, key);
  }
  return cell;
}

}  // namespace

RowFile::RowFile(const std::filesystem::path& path, std::vector<std::string> settings,
                 const std::vector<std::string>& results)
    : path_(path), settings_(std::move(settings)), columns_(settings_) {
  columns_.insert(columns_.end(), results.begin(), results.end());
  csv_ = path.extension() == ".csv";
  if (!csv_ && path.extension() != ".jsonl") {
    throw Error(text(path.string(), ": rows go to a file named .csv or .jsonl"));
  }
  std::error_code none;
  left_empty_ = !std::filesystem::exists(path, none);
  if (!left_empty_ && !std::filesystem::is_regular_file(path, none) &&
      !std::filesystem::is_directory(path, none)) {
    throw Error(text(path.string(), ": is not a regular file, to which rows can be added"));
  }
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file_ < 0) throw Error(text(path.string(), ": cannot be opened: ", std::strerror(errno)));
  try {
    // A lock of Boost.Interprocess would end when `take` closes the file that it has read.
    if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
      throw Error(text(path.string(), ": another program is adding rows"));
    }
    take(support::read_file(path));
  } catch (...) {
    ::close(file_);
    throw;
  }
}

RowFile::~RowFile() {
  if (left_empty_) ::unlink(path_.c_str());
  ::close(file_);
}

void RowFile::take(std::string content) {
  const auto end = content.rfind('\n');
  const std::size_t whole = end == std::string::npos ? 0 : end + 1;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < whole;) {
    const std::size_t stop = content.find('\n', begin);
    take_row(content.substr(begin, stop - begin), ++number);
    begin = stop + 1;
  }
  if (whole < content.size()) drop_torn(content.substr(whole), number + 1, whole);
  header_due_ = csv_ && whole == 0;
}

/// Removes an unfinished last line, but refuses it unless it begins like a row of a simulation:
/// other lines belong to another program.
void RowFile::drop_torn(const std::string& line, std::size_t number, std::size_t begin) {
  const std::string header = csv_line(columns_) + '\n';
  const std::string object = "{\"" + columns_.front() + "\":";
  const bool ours = csv_ ? begin > 0 || header.starts_with(line)
                         : line.starts_with(object) || object.starts_with(line);
  if (!ours) throw Error(text(path_.string(), ": line ", number, " is not a row of a simulation"));
  if (::ftruncate(file_, static_cast<off_t>(begin)) != 0) {
    throw Error(text(path_.string(), ": cannot be written: ", std::strerror(errno)));
  }
}

void RowFile::take_row(const std::string& line, std::size_t number) {
  const auto refuse = [&](const std::string& why) {
    throw Error(text(path_.string(), ": line ", number, " ", why));
  };
  if (csv_) {
    auto cells = csv_cells(line);
    if (number == 1) {
      if (cells != columns_)
        refuse("does not have the columns of this simulation: choose another file");
      return;
    }
    if (cells.size() != columns_.size()) {
      refuse(text("has ", cells.size(), " cells instead of ", columns_.size()));
    }
    cells.resize(settings_.size());
    rows_.insert(std::move(cells));
    return;
  }
  const Json row = parse_json(line, text(path_.string(), ": line ", number));
  if (!row.is_object()) refuse("is not a JSON object");
  if (!row.contains(settings_.front()) || !row.contains(columns_[settings_.size()])) {
    refuse("is not a row of a simulation");
  }
  rows_.insert(cells_of(row, settings_));
}

bool RowFile::has(const Json& row) const {
  check_cells(row);
  return rows_.contains(cells_of(row, settings_));
}

/// Throws `Error` for settings that would not be the same when they are read again.
void RowFile::check_cells(const Json& row) const {
  for (const std::string& key : settings_) {
    const auto found = row.find(key);
    if (found == row.end() || !found->is_string()) continue;
    const auto& name = found->get_ref<const std::string&>();
    if (name.find_first_of("\r\n") == std::string::npos && is_utf8(name)) continue;
    throw Error(text(path_.string(), ": the ", key, " '",
                     found->dump(-1, ' ', true, Json::error_handler_t::replace),
                     "' has a line break or is not UTF-8: rows in a file need another name"));
  }
}

void RowFile::add(const Json& row) {
  check_row(row);
  if (header_due_) write(csv_line(columns_));
  header_due_ = false;
  left_empty_ = false;
  if (csv_) {
    write(csv_line(cells_of(row, columns_)));
  } else {
    write(row.dump());
  }
  rows_.insert(cells_of(row, settings_));
}

std::vector<Json> RowFile::rows(const std::set<std::vector<std::string>>& settings) const {
  std::vector<Json> all;
  std::istringstream lines(support::read_file(path_));
  bool header = csv_;
  for (std::string line; std::getline(lines, line);) {
    if (std::exchange(header, false)) continue;
    Json row;
    if (csv_) {
      const auto cells = csv_cells(line);
      for (std::size_t i = 0; i < std::min(cells.size(), columns_.size()); ++i) {
        if (Json value = value_of(columns_[i], cells[i]); !value.is_null()) {
          row[columns_[i]] = std::move(value);
        }
      }
    } else {
      row = parse_json(line, path_.string());
    }
    if (settings.contains(cells_of(row, settings_))) all.push_back(std::move(row));
  }
  return all;
}

void RowFile::write(const std::string& line) {
  if (!support::write_all(file_, line + '\n')) {
    throw Error(text(path_.string(), ": cannot be written: ", std::strerror(errno)));
  }
}

}  // namespace bracket::tools
