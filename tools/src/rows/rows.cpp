#include "rows/rows.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <sstream>
#include <vector>

#include "bracket/model/json.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::tools {

namespace {

using Json = nlohmann::ordered_json;

constexpr double most_seconds = 1e9;  // 30 years

const Json& member(const Json& row, const char* key, bool (Json::*is)() const noexcept) {
  const auto found = row.find(key);
  if (found == row.end() || !((*found).*is)()) {
    throw Error(text("\"", key, "\" is missing or has the wrong type"));
  }
  return *found;
}

RowKey key_of(const Json& row) {
  const auto word = [&](const char* key) {
    return member(row, key, &Json::is_string).get<std::string>();
  };
  const auto size = [&](const char* key, Index most) {
    const Json& written = member(row, key, &Json::is_number_integer);
    const auto value = written.get<Index>();  // an unsigned value beyond the range becomes negative
    if (value < 1 || value > most) {
      throw Error(text("\"", key, "\" is ", written.dump(), ": from 1 to ", most, " was expected"));
    }
    return value;
  };
  return {size("elements", std::numeric_limits<Index>::max()),
          static_cast<Rank>(size("ranks", std::numeric_limits<Rank>::max())), word("distribution"),
          row.contains("rank_order") ? word("rank_order") : "", make_plan(word("plan"))->spec()};
}

/// Whether a row belongs to a setting. A missing key matches any value.
bool is_of(const Json& row, const RowSetting& setting) {
  const auto same = [&](const char* key, const auto& value, bool (Json::*is)() const noexcept) {
    return !row.contains(key) || member(row, key, is) == value;
  };
  return same("order", setting.order, &Json::is_string) &&
         same("collective", name_of(setting.delivery.collective), &Json::is_string) &&
         same("root", setting.delivery.root, &Json::is_number_integer) &&
         same("items", setting.items, &Json::is_number_integer);
}

/// Throws `Error` if two starts of one schedule gave different bits for the same elements.
void check_same_bits(const Json& a, const Json& b) {
  const auto both = [&](const char* key) { return a.contains(key) && b.contains(key); };
  // Skip rows of the MPI library, which have no "messages": it may choose another order in each
  // start.
  if (!both("messages") || !both("elements_digest")) return;
  if (a["elements_digest"] != b["elements_digest"]) return;
  for (const char* key : {"result_bits", "result_digest"}) {
    if (!both(key) || a[key] == b[key]) continue;
    throw Error(text("\"", key, "\" is ", b[key].dump(), ", an earlier row for the same has ",
                     a[key].dump(), ": the same elements must give the same bits"));
  }
}

/// Place and method of a measurement, as text. All starts of one measurement have the same.
std::string circumstances(const Json& row) {
  Json all;
  for (const char* key : {"kernel", "threads", "cold", "environment"}) {
    if (row.contains(key)) all[key] = row[key];
  }
  return all.dump(-1, ' ', true, Json::error_handler_t::replace);
}

/// Combines several starts into one row.
Json combined(std::vector<Json> starts, const char* duration) {
  const auto seconds_of = [&](const Json& row) { return row[duration].get<double>(); };
  std::sort(starts.begin(), starts.end(),
            [&](const Json& a, const Json& b) { return seconds_of(a) < seconds_of(b); });
  const std::size_t count = starts.size();
  Json row = starts[(count - 1) / 2];
  row[duration] = (seconds_of(row) + seconds_of(starts[count / 2])) / 2;
  for (const Json& start : starts) {
    const auto widen = [&](const char* key, auto better) {
      if (!start.contains(key) || !start[key].is_number()) return;
      if (!row.contains(key) || better(start[key].get<double>(), row[key].get<double>())) {
        row[key] = start[key];
      }
    };
    widen("measured_low_seconds", std::less<>());
    widen("measured_high_seconds", std::greater<>());
  }
  row["starts"] = count;
  return row;
}

}  // namespace

Rows read_rows(const std::string& lines, const Duration& duration, const RowSetting& setting,
               const std::string& where) {
  std::map<std::pair<RowKey, std::string>, std::vector<Json>> starts;
  std::istringstream in(lines);
  Index number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.empty()) continue;
    const std::string here = text(where, ", line ", number);
    Json row;
    try {
      row = parse_json(line, here);
    } catch (const Error& failure) {
      throw Error(text(failure.what(),
                       "; each line must be a JSON object, as `bracket run --json` writes it"));
    }
    try {
      RowKey key = key_of(row);
      const double value = member(row, duration.key, &Json::is_number).get<double>();
      if (!(value >= duration.least && value <= most_seconds)) {
        throw Error(text("\"", duration.key, "\" is ", value, ": from ", duration.least, " to ",
                         most_seconds, " seconds were expected"));
      }
      for (const char* bound : {"measured_low_seconds", "measured_high_seconds"}) {
        if (row.contains(bound)) member(row, bound, &Json::is_number);
      }
      if (!is_of(row, setting)) continue;
      std::vector<Json>& same = starts[{std::move(key), circumstances(row)}];
      if (!same.empty()) check_same_bits(same.front(), row);
      same.push_back(std::move(row));
    } catch (const Error& failure) {
      throw Error(text(here, ": ", failure.what()));
    }
  }
  Rows rows;
  for (auto& [where_measured, same] : starts) {
    const RowKey& key = where_measured.first;
    Json row = combined(std::move(same), duration.key);
    const auto known = rows.find(key);
    if (known == rows.end() || row[duration.key] < known->second[duration.key]) {
      rows.insert_or_assign(key, std::move(row));
    }
  }
  return rows;
}

}  // namespace bracket::tools
