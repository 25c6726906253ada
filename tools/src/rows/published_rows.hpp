// SPDX-License-Identifier: MIT

#pragma once

#include <string>

#include "rows/measurements.hpp"

namespace bracket::tools {

/// Whether a file's text is a table of published measurements.
bool is_published_table(const std::string& content);

/// Adds the accepted rows of a table to `found`. Throws `Error` like `read_measurements`.
void read_published_table(const std::string& file, const std::string& content,
                          const RowFilter& filter, Measurements& found);

}  // namespace bracket::tools
