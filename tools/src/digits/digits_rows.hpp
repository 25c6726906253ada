// SPDX-License-Identifier: MIT

#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "bracket/model/algorithm.hpp"
#include "digits/exact_reference.hpp"
#include "rows/row_table.hpp"

namespace bracket::tools {

/// Writes a number as hexadecimal float: `0x1.8p+1`, `inf` or `nan`.
std::string hexadecimal(double number);

/// Makes the row of an algorithm: its sum, its error and bound, and the true and the estimated
/// digits. Numbers without a meaning are null. A sum that overflows has no correct digit.
nlohmann::ordered_json digits_row(std::span<const double> elements, const ExactReference& exact,
                                  const Algorithm& algorithm);

/// The columns of these rows in a table.
std::vector<Column> digits_columns();

}  // namespace bracket::tools
