// SPDX-License-Identifier: MIT

#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

namespace bracket::tools {

/// Type of a key's value. A number may be null: JSON cannot express infinity and NaN.
enum class KeyType { text, text_or_null, integer, number, flag, list, object, result };

std::string_view name_of(KeyType type);

/// Entry of the table of keys: the meaning of a key in the rows of every subcommand.
struct RowKeyEntry {
  std::string key;
  KeyType type;
  std::string unit;  ///< empty without a unit
  std::string meaning;
};

/// Returns every key of the rows that `--json`, `--csv` and `simulate --output` write.
std::span<const RowKeyEntry> row_keys();

/// Throws `std::logic_error` if the row has a key that is not in the table, or a value of another
/// type.
void check_row(const nlohmann::ordered_json& row);

}  // namespace bracket::tools
