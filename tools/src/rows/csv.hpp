// SPDX-License-Identifier: MIT

#pragma once

#include <istream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

/// Comma-separated values. The libraries in Debian do not fit: fast-cpp-csv-parser reads a number
/// of columns that is fixed at compile time, Boost.Tokenizer does not read doubled quotes, and
/// libcsv's callbacks for C would take more code than these functions.
namespace bracket::tools {

/// Converts a value to a cell: strings unchanged, numbers as in JSON, null as an empty cell.
std::string cell_of(const nlohmann::ordered_json& value);

/// Returns a row's cells for `keys`. A missing key gives an empty cell.
std::vector<std::string> cells_of(const nlohmann::ordered_json& row,
                                  const std::vector<std::string>& keys);

/// Formats a line of comma-separated values (RFC 4180) without a line break.
std::string csv_line(const std::vector<std::string>& cells);

/// Reads the next line, without the LF or CRLF at its end. False if there is none.
bool read_csv_line(std::istream& in, std::string& line);

/// Parses the cells of such a line. The text after an unclosed quote belongs to its cell.
std::vector<std::string> csv_cells(const std::string& line);

}  // namespace bracket::tools
