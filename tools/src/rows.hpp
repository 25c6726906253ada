#pragma once

#include <compare>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "bracket/model/schedule.hpp"

namespace bracket::tools {

/// What tells one row of `run`, `simulate` or `compare` from another.
struct RowKey {
  Index elements = 0;
  Rank ranks = 0;
  std::string distribution;
  std::string rank_order;  ///< as asked for; empty for the identity
  std::string plan;        ///< with all its parameters

  friend auto operator<=>(const RowKey&, const RowKey&) = default;
};

using Rows = std::map<RowKey, nlohmann::ordered_json>;

/// What all rows of one comparison share.
struct RowSetting {
  std::string order;
  Delivery delivery;
  Index items = 1;
};

/// The rows of `setting` that a program wrote with `--json`, each of which has `figure`; of several
/// with one key the one with the least. Throws `Error` naming `where` and the line.
Rows read_rows(const std::string& lines, const char* figure, const RowSetting& setting,
               const std::string& where);

}  // namespace bracket::tools
