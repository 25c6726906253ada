// SPDX-License-Identifier: MIT

#include "rows/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bracket::tools {

std::string TextTable::text() const {
  std::vector<std::size_t> widths;
  for (const Alignment& column : columns_) widths.push_back(column.least_width);
  for (const auto& cells : lines_) {
    for (std::size_t c = 0; c < widths.size(); ++c)
      widths[c] = std::max(widths[c], cells[c].size());
  }
  std::string all;
  for (const auto& cells : lines_) {
    std::string line;
    for (std::size_t c = 0; c < widths.size(); ++c) {
      if (c > 0) line += "  ";
      line += columns_[c].side == Side::left ? fmt::format("{:<{}}", cells[c], widths[c])
                                             : fmt::format("{:>{}}", cells[c], widths[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    all += line + '\n';
  }
  return all;
}

}  // namespace bracket::tools
