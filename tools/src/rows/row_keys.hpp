#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

namespace bracket::tools {

/// What the value of a key is. A number may be null, for what JSON has no word for.
enum class KeyType { text, integer, number, flag, list, object, result };

std::string_view name_of(KeyType type);

/// A row of the table of keys: what a key means in the rows of every subcommand.
struct RowKeyEntry {
  std::string key;
  KeyType type;
  std::string unit;  ///< empty if it has none
  std::string meaning;
};

/// Every key of the rows that `--json`, `--csv` and `simulate --output` write.
std::span<const RowKeyEntry> row_keys();

/// Throws `std::logic_error` if the row has a key that the table has not, or a value of another
/// type.
void check_row(const nlohmann::ordered_json& row);

}  // namespace bracket::tools
