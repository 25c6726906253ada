// SPDX-License-Identifier: MIT

#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "bracket/support/text.hpp"

namespace bracket::tools {

/// Lines of cells in aligned columns, two spaces apart.
class TextTable {
 public:
  enum class Side { left, right };

  /// Alignment of a column's cells and its least width in characters.
  struct Alignment {
    Side side = Side::left;
    std::size_t least_width = 0;
  };

  explicit TextTable(std::vector<Alignment> columns) : columns_(std::move(columns)) {}

  /// Adds a line with a cell for each column.
  void line(std::vector<std::string> cells) { lines_.push_back(std::move(cells)); }

  /// Returns all lines, each with a line break and without trailing spaces.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<Alignment> columns_;
  std::vector<std::vector<std::string>> lines_;
};

}  // namespace bracket::tools
