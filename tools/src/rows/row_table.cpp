// SPDX-License-Identifier: MIT

#include "rows/row_table.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <utility>

#include "rows/csv.hpp"
#include "rows/row_keys.hpp"
#include "rows/text_table.hpp"

namespace bracket::tools {

std::string counted(std::int64_t count, const std::string& what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

namespace {

/// Formats with one decimal, or below 10 us with three significant digits.
std::string microseconds(double seconds) {
  const double shown = seconds * 1e6;
  return std::abs(shown) < 10 && shown != 0 ? fmt::format("{:#.3g}", shown)
                                            : fmt::format("{:.1f}", shown);
}

std::string percent(double share) {
  return fmt::format("{:+.0f} %", std::round(share * 100) + 0.0);  // -0 + 0 is 0
}

}  // namespace

std::string cell_text(const Column& column, const nlohmann::ordered_json& row) {
  const auto found = row.find(column.key);
  if (found == row.end() || found->is_null()) return column.absent;
  if (found->is_string()) return found->get<std::string>();
  if (column.shown == Column::Shown::microseconds) {
    return microseconds(found->get<double>());
  }
  if (column.shown == Column::Shown::percent) {
    return percent(found->get<double>());
  }
  if (column.shown == Column::Shown::share) {
    return fmt::format("{:.0f} %", 100 * found->get<double>());
  }
  if (column.shown == Column::Shown::ratio) {
    return fmt::format("{:.3f}", found->get<double>());
  }
  if (column.shown == Column::Shown::rounded) {
    return fmt::format("{:.4g}", found->get<double>());
  }
  if (column.shown == Column::Shown::tenths) {
    return fmt::format("{:.1f}", std::floor(10 * found->get<double>()) / 10);
  }
  if (column.shown == Column::Shown::number && found->is_number_float()) {
    return fmt::format("{}", found->get<double>());
  }
  // JSON cannot express infinity and NaN.
  if (found->is_number_float() && !std::isfinite(found->get<double>())) {
    return fmt::format("{}", found->get<double>());
  }
  return found->dump();
}

bool has_words(const Column& column, const std::vector<nlohmann::ordered_json>& rows) {
  return std::any_of(rows.begin(), rows.end(), [&](const auto& row) {
    const auto found = row.find(column.key);
    return found != row.end() && found->is_string();
  });
}

void drop_absent(std::vector<Column>& columns, const std::vector<nlohmann::ordered_json>& rows) {
  std::erase_if(columns, [&](const Column& column) {
    return std::none_of(rows.begin(), rows.end(),
                        [&](const auto& row) { return row.contains(column.key); });
  });
}

void round_numbers(nlohmann::ordered_json& json) {
  if (json.is_number_float()) json = std::stod(fmt::format("{:.3e}", json.get<double>()));
  if (!json.is_structured()) return;
  for (auto& part : json) round_numbers(part);
}

void RowTable::row(nlohmann::ordered_json row) {
  if (form_ == Form::table) {
    rows_.push_back(std::move(row));
    return;
  }
  check_row(row);
  if (keeps_) rows_.push_back(row);
  if (form_ == Form::csv) {
    std::vector<std::string> keys;
    for (const Column& column : columns_) keys.push_back(column.key);
    if (!any_) std::cout << csv_line(keys) << '\n';
    any_ = true;
    std::cout << csv_line(cells_of(row, keys)) << std::endl;
    return;
  }
  // A file name may have bytes that are not UTF-8; JSON may not.
  std::cout << row.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
            << std::endl;
}

void RowTable::finish() {
  if (form_ == Form::table) print_table();
}

void RowTable::print_table() {
  if (!title_.empty()) std::cout << title_ << '\n';
  drop_absent(columns_, rows_);
  std::vector<TextTable::Alignment> sides;
  std::vector<std::string> headings;
  for (const Column& column : columns_) {
    sides.push_back({has_words(column, rows_) ? TextTable::Side::left : TextTable::Side::right});
    headings.push_back(column.heading);
  }
  TextTable table(std::move(sides));
  table.line(std::move(headings));
  for (const auto& row : rows_) {
    std::vector<std::string> cells;
    for (const Column& column : columns_) cells.push_back(cell_text(column, row));
    table.line(std::move(cells));
  }
  std::cout << table.text();
}

Progress::Progress(Clock::duration interval, Clock::duration first)
    : terminal_(::isatty(STDERR_FILENO) != 0), interval_(interval), next_(begin_ + first) {}

void Progress::say(const std::string& what) {
  if (!terminal_) {
    const auto now = Clock::now();
    if (now < next_) return;
    next_ = now + interval_;
    std::cerr << fmt::format("bracket: {:.0f} s: {}\n",
                             std::chrono::duration<double>(now - begin_).count(), what)
              << std::flush;
    return;
  }
  std::cerr << "\r\033[K" << what << std::flush;
  shown_ = true;
}

void Progress::clear() {
  if (shown_) std::cerr << "\r\033[K" << std::flush;
  shown_ = false;
}

}  // namespace bracket::tools
