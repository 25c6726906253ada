// SPDX-License-Identifier: MIT

#include "rows/published_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <sstream>

#include "bracket/model/spec.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/order_statistics.hpp"
#include "bracket/support/text.hpp"
#include "bracket/support/whole_number.hpp"
#include "rows/csv.hpp"
#include "rows/row_table.hpp"

namespace bracket::tools {

namespace {

using Json = nlohmann::ordered_json;

constexpr Index int32_bytes = 4;
constexpr double least_microseconds = 1e-6;
constexpr double most_microseconds = 1e15;
constexpr Index most_bytes = Index{1} << 50;

/// The columns of a table and the cells of one of its lines.
class TableLine {
 public:
  TableLine(const std::vector<std::string>& columns, const std::string& line, std::string here)
      : columns_(columns), cells_(csv_cells(line)), here_(std::move(here)) {
    if (cells_.size() != columns.size()) {
      throw Error(text(here_, ": ", cells_.size(), " cells, but the first line names ",
                       columns.size(), " columns"));
    }
  }

  [[nodiscard]] const std::string& here() const { return here_; }

  [[nodiscard]] const std::string& cell(const std::string& column) const {
    const auto found = std::find(columns_.begin(), columns_.end(), column);
    return cells_[static_cast<std::size_t>(found - columns_.begin())];
  }

  [[nodiscard]] bool has(const std::string& column) const {
    return std::find(columns_.begin(), columns_.end(), column) != columns_.end() &&
           !cell(column).empty();
  }

  template <class Number>
  [[nodiscard]] Number whole(const std::string& column, Number least) const {
    const Index value = support::parse_count(cell(column), text(here_, ": ", column),
                                             std::numeric_limits<Number>::max());
    if (value < least) {
      throw Error(text(here_, ": ", column, " is ", value, "; the least is ", least));
    }
    return static_cast<Number>(value);
  }

  /// Returns, in seconds, the cell of a column in microseconds. Throws `Error` if it is out of
  /// range.
  [[nodiscard]] double seconds(const std::string& column) const {
    const double value = parse_number(cell(column), text(here_, ": ", column));
    if (!(value >= least_microseconds) || !(value <= most_microseconds)) {
      throw Error(text(here_, ": ", column, " is ", value, ": microseconds from ",
                       least_microseconds, " to ", most_microseconds, " were expected"));
    }
    return value * 1e-6;
  }

 private:
  const std::vector<std::string>& columns_;
  std::vector<std::string> cells_;
  std::string here_;
};

bool is_time(const std::string& column) { return column.ends_with("_us"); }

/// Returns all cells except times and the number of samples, as JSON.
Json described(const std::vector<std::string>& columns, const TableLine& line) {
  Json row;
  for (const std::string& column : columns) {
    if (!is_time(column) && column != "samples") row[column] = line.cell(column);
  }
  return row;
}

void check_utf8(const std::string& line, const std::string& here) {
  try {
    static_cast<void>(Json(line).dump());
  } catch (const Json::exception&) {
    throw Error(here + ": the text is not UTF-8");
  }
}

/// Combines rows with the same keys, which are starts of one measurement.
class Starts {
 public:
  void add(const std::string& keys, Measurement row) {
    const auto [known, is_new] = places_.emplace(keys, starts_.size());
    if (is_new) starts_.emplace_back();
    starts_[known->second].push_back(std::move(row));
  }

  void put_into(std::vector<Measurement>& rows) {
    for (auto& starts : starts_) {
      Measurement row = starts.front();
      std::vector<double> measured;
      std::vector<double> fastest;
      for (const Measurement& start : starts) {
        measured.push_back(start.measured);
        if (start.fastest) fastest.push_back(*start.fastest);
        row.low = std::min(row.low, start.low);
        row.high = std::max(row.high, start.high);
      }
      row.measured = support::median(measured);
      if (!fastest.empty()) row.fastest = support::median(fastest);
      if (starts.size() > 1) row.row["starts"] = starts.size();
      row.row["measured_seconds"] = row.measured;
      if (row.low < row.high) {
        row.row["measured_low_seconds"] = row.low;
        row.row["measured_high_seconds"] = row.high;
      }
      rows.push_back(std::move(row));
    }
  }

 private:
  std::map<std::string, std::size_t> places_;
  std::vector<std::vector<Measurement>> starts_;
};

/// Adds to `row` the columns without a key of their own, and returns them in words.
std::string describe_rest(const Json& keys, Json& row) {
  Json published;
  std::string words;
  for (const auto& [key, value] : keys.items()) {
    if (row.contains(key)) continue;
    published[key] = value;
    const auto written = value.get<std::string>();
    if (!written.empty()) words += text(", ", key, ' ', written);
  }
  if (!published.empty()) row["published"] = published;
  return words;
}

/// Makes the row of an all-reduce by the algorithm in a column. Returns no value if no model knows
/// it.
std::optional<Measurement> allreduce_row(const TableLine& line, const Json& keys) {
  const std::string& name = line.cell("algorithm");
  const auto algorithm = allreduce_algorithm(name);
  Measurement found;
  found.ranks = line.whole<Rank>("ranks", 1);
  const Index bytes = line.whole<Index>("bytes", 1);
  if (bytes > most_bytes) {
    throw Error(text(line.here(), ": bytes is ", bytes, "; the most is ", most_bytes));
  }
  found.value_bytes = int32_bytes;
  found.items = (bytes + int32_bytes - 1) / int32_bytes;
  found.measured = line.seconds("median_us");
  found.low = line.has("q25_us") ? line.seconds("q25_us") : found.measured;
  found.high = line.has("q75_us") ? line.seconds("q75_us") : found.measured;
  if (line.has("min_us")) found.fastest = line.seconds("min_us");
  if (!(found.low <= found.measured && found.measured <= found.high)) {
    throw Error(text(line.here(), ": the median is not between the quartiles q25_us and q75_us"));
  }
  if (found.fastest.value_or(0) > found.measured) {
    throw Error(text(line.here(), ": min_us is above the median"));
  }
  if (!algorithm) return {};
  found.is_rounds = true;
  found.rounds = allreduce_rounds(*algorithm, found.ranks, found.items);
  found.row = Json{{"ranks", found.ranks}, {"items", found.items}, {"collective", "all-reduce"},
                   {"type", "int32"},      {"bytes", bytes},       {"algorithm", name}};
  found.choice = name;
  if (line.has("implementation")) {
    found.row["implementation"] = line.cell("implementation");
    found.choice += text(" (", line.cell("implementation"), ')');
  }
  found.reduction = fmt::format("{} on {}{}", counted(bytes, "byte"), counted(found.ranks, "rank"),
                                describe_rest(keys, found.row));
  return found;
}

/// Makes the row of a sum. The name of the column of times is that of the algorithm.
Measurement sum_row(const TableLine& line, const std::string& column, const Json& keys) {
  const std::string name = column.substr(0, column.size() - 3);
  Measurement found;
  const auto elements = line.whole<Index>("elements", 1);
  found.ranks = line.whole<Rank>("ranks", 1);
  found.measured = found.low = found.high = line.seconds(column);
  const bool tree = name == "tree";
  found.key = {elements, found.ranks, "upper", "", tree ? "buffered" : "butterfly"};
  found.setting = {tree ? "tree" : "associative", tree ? Delivery::to(0) : Delivery::to_all(), 1};
  found.row = Json{{"elements", elements},
                   {"ranks", found.ranks},
                   {"collective", "all-reduce"},
                   {"algorithm", name}};
  found.choice = name;
  found.reduction = fmt::format("{} on {}{}", counted(elements, "element"),
                                counted(found.ranks, "rank"), describe_rest(keys, found.row));
  return found;
}

}  // namespace

bool is_published_table(const std::string& content) {
  const auto first = content.find_first_not_of(" \t\r\n");
  return first != std::string::npos && content[first] != '{' && content[first] != '[';
}

void read_published_table(const std::string& file, const std::string& content,
                          const RowFilter& filter, Measurements& found) {
  std::istringstream in(content);
  std::vector<std::string> columns;
  Starts starts;
  Index number = 0;
  bool allreduce = false;
  for (std::string line; read_csv_line(in, line);) {
    ++number;
    if (line.empty()) continue;
    const std::string here = text(file, ", line ", number);
    if (columns.empty()) {
      check_utf8(line, here);
      columns = csv_cells(line);
      for (const std::string& column : columns) {
        if (std::count(columns.begin(), columns.end(), column) > 1) {
          throw Error(text(here, ": two columns are named '", excerpt(column), "'"));
        }
      }
      const auto has = [&](const char* column) {
        return std::find(columns.begin(), columns.end(), column) != columns.end();
      };
      allreduce = has("ranks") && has("algorithm") && has("bytes") && has("median_us");
      const bool sums = has("elements") && has("ranks") && !allreduce &&
                        std::any_of(columns.begin(), columns.end(), is_time);
      if (!allreduce && !sums) {
        throw Error(
            text(here,
                 ": JSON rows of `bracket run --json` were expected, or a table with "
                 "the columns ranks, algorithm, bytes and median_us, or elements, ranks and "
                 "NAME_us"));
      }
      continue;
    }
    check_utf8(line, here);
    const TableLine cells(columns, line, here);
    const Json keys = described(columns, cells);
    if (allreduce) {
      if (!filter.accepts(keys)) continue;
      auto row = allreduce_row(cells, keys);
      if (!row) {
        ++found.left_out[cells.cell("algorithm")];
        continue;
      }
      row->file = file;
      starts.add(keys.dump(), std::move(*row));
      continue;
    }
    for (const std::string& column : columns) {
      if (!is_time(column) || !cells.has(column)) continue;
      Json with_name = keys;
      with_name["algorithm"] = column.substr(0, column.size() - 3);
      if (!filter.accepts(with_name)) continue;
      Measurement row = sum_row(cells, column, keys);
      row.file = file;
      starts.add(with_name.dump(), std::move(row));
    }
  }
  starts.put_into(found.rows);
}

}  // namespace bracket::tools
