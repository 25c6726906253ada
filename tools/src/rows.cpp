#include "rows.hpp"

#include <limits>
#include <sstream>

#include "bracket/model/error.hpp"
#include "bracket/model/json.hpp"
#include "bracket/model/plan.hpp"

namespace bracket::tools {

namespace {

using Json = nlohmann::ordered_json;

constexpr double most_seconds = 1e9;  // 30 years

const Json& member(const Json& row, const char* key, bool (Json::*is)() const noexcept) {
  const auto found = row.find(key);
  if (found == row.end() || !((*found).*is)()) {
    throw Error(text("\"", key, "\" is missing or of another kind"));
  }
  return *found;
}

RowKey key_of(const Json& row) {
  const auto word = [&](const char* key) {
    return member(row, key, &Json::is_string).get<std::string>();
  };
  const auto size = [&](const char* key, Index most) {
    const Json& written = member(row, key, &Json::is_number_integer);
    const auto value = written.get<Index>();  // of an unsigned beyond its range below zero
    if (value < 1 || value > most) {
      throw Error(text("\"", key, "\" is ", written.dump(), ": from 1 to ", most, " was expected"));
    }
    return value;
  };
  return {size("elements", std::numeric_limits<Index>::max()),
          static_cast<Rank>(size("ranks", std::numeric_limits<Rank>::max())), word("distribution"),
          row.contains("rank_order") ? word("rank_order") : "", make_plan(word("plan"))->spec()};
}

/// A row that does not say is of any.
bool is_of(const Json& row, const RowSetting& setting) {
  const auto same = [&](const char* key, const auto& value, bool (Json::*is)() const noexcept) {
    return !row.contains(key) || member(row, key, is) == value;
  };
  return same("order", setting.order, &Json::is_string) &&
         same("collective", name_of(setting.delivery.collective), &Json::is_string) &&
         same("root", setting.delivery.root, &Json::is_number_integer) &&
         same("items", setting.items, &Json::is_number_integer);
}

}  // namespace

Rows read_rows(const std::string& lines, const Duration& duration, const RowSetting& setting,
               const std::string& where) {
  Rows rows;
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
      if (!is_of(row, setting)) continue;
      const auto known = rows.find(key);
      if (known != rows.end() && known->second[duration.key].get<double>() <= value) continue;
      rows.insert_or_assign(std::move(key), std::move(row));
    } catch (const Error& failure) {
      throw Error(text(here, ": ", failure.what()));
    }
  }
  return rows;
}

}  // namespace bracket::tools
