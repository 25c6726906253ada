// SPDX-License-Identifier: MIT

#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace bracket::tools {

/// Selects rows by conditions `KEY=VALUE,...`. Each value is an alternative and may have the
/// wildcards `*` and `?`.
class RowFilter {
 public:
  /// Conditions on one key are alternatives. Throws `Error` for a condition of another form.
  explicit RowFilter(const std::vector<std::string>& conditions);

  /// Whether a row fulfils all conditions. Equal numbers match: 1e3 is 1000. Two names of one plan
  /// match. A row without the key of a condition does not fulfil it. A row without `cold` counts as
  /// `cold=false`.
  [[nodiscard]] bool accepts(const nlohmann::ordered_json& row) const;

  /// Throws `Error`, which says why no row of these files was accepted, followed by `more`.
  [[noreturn]] void refuse(const std::string& files, const std::string& more) const;

 private:
  struct Condition {
    std::string key;
    std::vector<std::string> patterns{};
    mutable std::set<std::string> seen{};  // values of all rows so far
  };
  std::vector<Condition> conditions_;
  mutable bool has_seen_rows_ = false;
};

}  // namespace bracket::tools
