#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace bracket::tools {

/// A value as a cell: words as they are, numbers as in JSON, null as nothing.
std::string cell_of(const nlohmann::ordered_json& value);

/// A row's values for `keys`, of which it may lack some.
std::vector<std::string> cells_of(const nlohmann::ordered_json& row,
                                  const std::vector<std::string>& keys);

/// A line of comma-separated values (RFC 4180) without its end.
std::string csv_line(const std::vector<std::string>& cells);

/// The cells of such a line. What follows an unclosed quote is in its cell.
std::vector<std::string> csv_cells(const std::string& line);

}  // namespace bracket::tools
