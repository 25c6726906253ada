// SPDX-License-Identifier: MIT

#include "rows/row_filter.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <sstream>

#include "bracket/model/plan.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::tools {

namespace {

std::optional<double> number_in(const std::string& written) {
  double number = 0;
  const char* const end = written.data() + written.size();
  const auto parsed = std::from_chars(written.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end || !std::isfinite(number)) return {};
  return number;
}

bool same_number(const std::string& left, const std::string& right) {
  const auto number = number_in(left);
  return number && number == number_in(right);
}

/// Whether both words name the same plan. Parameters that have their default may be missing.
bool same_plan(const std::string& left, const std::string& right) {
  try {
    return make_plan(left)->spec() == make_plan(right)->spec();
  } catch (const Error&) {
    return false;  // a wildcard
  }
}

std::vector<std::string> parts_of(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream in(list);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  if (list.empty() || list.ends_with(',')) parts.emplace_back();
  return parts;
}

}  // namespace

RowFilter::RowFilter(const std::vector<std::string>& conditions) {
  for (const std::string& one : conditions) {
    const auto equals = one.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw Error(text("--only '", excerpt(one), "': KEY=VALUE was expected"));
    }
    const std::string key = one.substr(0, equals);
    auto known = std::find_if(conditions_.begin(), conditions_.end(),
                              [&](const Condition& condition) { return condition.key == key; });
    if (known == conditions_.end()) known = conditions_.insert(known, {key});
    for (const std::string& value : parts_of(one.substr(equals + 1))) {
      // A bracket is not a wildcard here.
      std::string pattern;
      for (const char letter : value) pattern += letter == '[' ? "[[]" : std::string(1, letter);
      known->patterns.push_back(pattern);
    }
  }
}

bool RowFilter::accepts(const nlohmann::ordered_json& row) const {
  has_seen_rows_ = true;
  bool all = true;
  for (const Condition& condition : conditions_) {
    const auto found = row.find(condition.key);
    const bool warm = found == row.end() && condition.key == "cold";
    if (found == row.end() && !warm) {
      all = false;
      continue;
    }
    const std::string value = warm                 ? "false"
                              : found->is_string() ? found->get<std::string>()
                                                   : found->dump();
    condition.seen.insert(value);
    all = all && std::any_of(condition.patterns.begin(), condition.patterns.end(),
                             [&](const std::string& pattern) {
                               return fnmatch(pattern.c_str(), value.c_str(), FNM_NOESCAPE) == 0 ||
                                      same_number(pattern, value) ||
                                      (condition.key == "plan" && same_plan(pattern, value));
                             });
  }
  return all;
}

void RowFilter::refuse(const std::string& files, const std::string& more) const {
  if (!has_seen_rows_) {
    throw Error(text(files,
                     ": no measured row: rows of `bracket run --json` or `compare --json`, or "
                     "a table of published measurements, were expected"));
  }
  for (const Condition& condition : conditions_) {
    if (!condition.seen.empty()) continue;
    throw Error(text(files, ": no measured row has the key \"", excerpt(condition.key),
                     "\" that --only names"));
  }
  std::string existing;
  constexpr std::size_t most = 8;
  for (const Condition& condition : conditions_) {
    std::vector<std::string> some;
    for (const std::string& value : condition.seen) {
      if (some.size() < most) some.push_back(excerpt(value));
    }
    existing += fmt::format("; the rows have {} {}{}", excerpt(condition.key),
                            fmt::join(some, ", "), condition.seen.size() > most ? ", ..." : "");
  }
  throw Error(text(files, ": no row of a plan or an algorithm that can be predicted",
                   conditions_.empty() ? "" : " and that --only chooses", existing, more));
}

}  // namespace bracket::tools
