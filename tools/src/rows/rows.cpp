// SPDX-License-Identifier: MIT

#include "rows/rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <sstream>
#include <vector>

#include "bracket/model/json.hpp"
#include "bracket/model/plan.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "common/arithmetic.hpp"

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

}  // namespace

Items items_of(const Json& row) {
  const auto count = [&](const char* key, Index most) {
    if (!row.contains(key)) return Index{1};
    const auto value = member(row, key, &Json::is_number_integer).get<Index>();
    if (value < 1 || value > most) {
      throw Error(text("\"", key, "\" is ", value, ": from 1 to ", most, " was expected"));
    }
    return value;
  };
  const Index items = count("items", std::numeric_limits<Index>::max());
  const Index fields = count("fields", Items::most_fields);
  if (items > 1 && fields > 1) {
    throw Error(text("\"items\" is ", items, " and \"fields\" is ", fields,
                     ": fields have single numbers"));
  }
  return fields > 1 ? Items::of_fields(fields) : Items(items);
}

namespace {

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

/// Whether a row is of these items. A missing key matches vectors of any length, but not fields.
bool same_items(const Json& row, Items items) {
  const bool told = row.contains("items") || row.contains("fields") || items.fields;
  return !told || items_of(row) == items;
}

/// Whether a row belongs to a setting. A missing key matches any value, but rows without the keys
/// of an operation are sums of float64.
bool is_of(const Json& row, const RowSetting& setting) {
  const auto same = [&](const char* key, const auto& value, bool (Json::*is)() const noexcept) {
    return !row.contains(key) || member(row, key, is) == value;
  };
  return same("order", setting.order, &Json::is_string) &&
         same("collective", name_of(setting.delivery.collective), &Json::is_string) &&
         same("root", setting.delivery.root, &Json::is_number_integer) &&
         same_items(row, setting.items) && operation_of(row) == setting.operation;
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
std::string circumstances_of(const Json& row) {
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

void Circumstances::add(const Json& row, bool kept) {
  const auto count = [&](const std::string& key, const std::string& value) {
    Count& counted = values_[key][excerpt(value)];
    ++counted.all;
    if (kept) ++counted.kept;
  };
  const auto written = [](const Json& value) {
    return value.is_string() ? value.get<std::string>()
                             : value.dump(-1, ' ', true, Json::error_handler_t::replace);
  };
  for (const char* key : {"kernel", "threads"}) {
    if (row.contains(key)) count(key, written(row[key]));
  }
  count("cold", row.contains("cold") ? written(row["cold"]) : "false");
  const auto environment = row.find("environment");
  if (environment == row.end() || !environment->is_object()) return;
  // The other members depend on the number of ranks.
  for (const char* key : {"processor", "mpi_library", "compiler"}) {
    if (environment->contains(key)) count(key, written((*environment)[key]));
  }
}

void Circumstances::warn(const std::string& remedy) const {
  std::vector<std::string> differing;
  bool dropped = false;
  for (const auto& [key, values] : values_) {
    if (values.size() < 2) continue;
    std::vector<std::string> counts;
    for (const auto& [value, count] : values) {
      dropped = dropped || count.kept < count.all;
      counts.push_back(fmt::format("{}: {} of {} used", value, count.kept, count.all));
    }
    differing.push_back(fmt::format("{} ({})", key, fmt::join(counts, ", ")));
  }
  if (!differing.empty()) {
    fmt::print(stderr, "bracket: the rows differ in {}{}{}\n", fmt::join(differing, ", "),
               dropped ? "; of each reduction, only the fastest is used" : ": all are used",
               remedy);
  }
  const auto cold = values_.find("cold");
  if (cold == values_.end()) return;
  const auto rows = cold->second.find("true");
  if (rows == cold->second.end() || rows->second.kept == 0) return;
  fmt::print(stderr,
             "bracket: {} measured with emptied caches (--cold), but predictions are of warm "
             "caches\n",
             rows->second.kept == 1 ? "1 row was" : fmt::format("{} rows were", rows->second.kept));
}

Rows read_rows(const std::string& lines, const Duration& duration, const RowSetting& setting,
               const std::string& where, Circumstances* circumstances) {
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
                       "; each line must be a JSON object with a measured time, as "
                       "`bracket run --json` writes it"));
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
      std::vector<Json>& same = starts[{std::move(key), circumstances_of(row)}];
      if (!same.empty()) check_same_bits(same.front(), row);
      same.push_back(std::move(row));
    } catch (const Error& failure) {
      throw Error(text(here, ": ", failure.what()));
    }
  }
  Rows rows;
  std::vector<Json> slower;
  for (auto& [where_measured, same] : starts) {
    Json row = combined(std::move(same), duration.key);
    const auto [known, is_new] = rows.emplace(where_measured.first, row);
    if (is_new) continue;
    if (row[duration.key] < known->second[duration.key]) std::swap(row, known->second);
    slower.push_back(std::move(row));
  }
  if (circumstances != nullptr) {
    for (const auto& [key, row] : rows) circumstances->add(row, true);
    for (const Json& row : slower) circumstances->add(row, false);
  }
  return rows;
}

}  // namespace bracket::tools
