// SPDX-License-Identifier: MIT

#include "report/row_names.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "rows/csv.hpp"

namespace bracket::tools {

namespace {

/// Settings that name rows, with the words before and after a value that is no name of its own.
struct NamedSetting {
  const char* key;
  const char* before;
  const char* after = "";
};

constexpr NamedSetting named_settings[] = {
    {"name", ""},
    {"operation", ""},
    {"candidate", ""},
    {"objective", ""},
    {"library_algorithm", ""},
    {"algorithm", ""},
    {"plan", ""},
    {"distribution", "over "},
    {"rank_order", "ranks "},
    {"order", "in "},
    {"engine", "by "},
    {"collective", ""},
    {"root", "to rank "},
    {"items", "", " items"},
    {"fields", "", " fields"},
    {"op", ""},
    {"type", "of "},
    {"implementation", ""},
    {"bytes", ""},
    {"widened", "widened "},
    {"checked", "checked "},
    {"kernel", ""},
    {"threads", "", " threads"},
    {"platform", "on "},
    {"cores", "", " cores"},
    {"placement", "placed "},
    {"late", "late "},
    {"slow", "slow "},
    {"noise", "noise "},
    {"watts", "watts "},
    {"link_watts", "link watts "},
    {"machine", "machine "},
    {"latency_seconds", "L "},
    {"overhead_seconds", "o "},
    {"gap_seconds", "g "},
    {"gap_seconds_per_byte", "G "},
    {"overhead_seconds_per_byte", "O "},
    {"eager_bytes", "S "},
    {"seconds_per_addition", "t_add "},
    {"node_latency_seconds", "node's L "},
    {"node_overhead_seconds", "node's o "},
    {"node_gap_seconds", "node's g "},
    {"node_gap_seconds_per_byte", "node's G "},
    {"seed", "seed "},
    {"cold", "cold "},
    {"elements", "N = "},
    {"ranks", "p = "},
    {"files", "files "},
};

bool has_word(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

std::string value_in(const nlohmann::ordered_json& row, const std::string& key) {
  const auto found = row.find(key);
  return found == row.end() ? "" : cell_of(*found);
}

}  // namespace

double number_in(const nlohmann::ordered_json& row, const std::string& key) {
  const auto found = row.find(key);
  return found != row.end() && found->is_number() ? found->get<double>() : viz::no_number;
}

std::vector<double> numbers_in(const PlottedRows& rows, const std::string& key) {
  std::set<double> numbers;
  for (const auto& row : rows) {
    if (const double number = number_in(row, key); std::isfinite(number)) numbers.insert(number);
  }
  return {numbers.begin(), numbers.end()};
}

viz::PlotUnit unit_of(const std::string& key) {
  if (key.find("seconds") != std::string::npos) return viz::PlotUnit::seconds;
  return key.ends_with("bytes") ? viz::PlotUnit::bytes : viz::PlotUnit::number;
}

bool any_has(const PlottedRows& rows, const std::string& key) {
  return std::any_of(rows.begin(), rows.end(),
                     [&](const auto& row) { return std::isfinite(number_in(row, key)); });
}

RowNames RowNames::by(const PlottedRows& rows, const std::vector<std::string>& keys) {
  RowNames names;
  for (const NamedSetting& setting : named_settings) {
    if (!has_word(keys, setting.key)) continue;
    std::set<std::string> values;
    for (const auto& row : rows) {
      values.insert(value_in(row, setting.key));
      if (values.size() > 1) break;
    }
    if (values.size() > 1) names.keys_.emplace_back(setting.key);
  }
  // An algorithm has an order.
  if (names.has("algorithm")) std::erase(names.keys_, "order");
  for (const char* const usual : {"candidate", "plan", "algorithm", "operation", "name"}) {
    if (names.keys_.empty() && !rows.empty() && rows.front().contains(usual)) {
      names.keys_.emplace_back(usual);
    }
  }
  return names;
}

RowNames RowNames::without(const PlottedRows& rows, const std::vector<std::string>& keys) {
  std::vector<std::string> others;
  for (const NamedSetting& setting : named_settings) {
    if (!has_word(keys, setting.key)) others.emplace_back(setting.key);
  }
  return by(rows, others);
}

std::string RowNames::of(const nlohmann::ordered_json& row) const {
  std::string name;
  for (const NamedSetting& setting : named_settings) {
    if (!has(setting.key)) continue;
    const double number = number_in(row, setting.key);
    const std::string value = std::isfinite(number) ? viz::tick_text(unit_of(setting.key), number)
                                                    : value_in(row, setting.key);
    if (value.empty()) continue;
    if (!name.empty()) name += ' ';
    name += setting.before + value + setting.after;
  }
  return name;
}

bool RowNames::has(const std::string& key) const { return has_word(keys_, key); }

}  // namespace bracket::tools
