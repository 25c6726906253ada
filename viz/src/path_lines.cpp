// SPDX-License-Identifier: MIT

#include "path_lines.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace bracket::viz {

namespace {

constexpr std::size_t most_changes = 120;

std::size_t changes_of_row(const std::vector<Picture::Point>& path) {
  std::size_t changes = 0;
  for (std::size_t i = 1; i < path.size(); ++i) changes += path[i].y != path[i - 1].y ? 1 : 0;
  return changes;
}

/// Appends a point, unless it adds nothing to the line.
void extend(std::vector<Picture::Point>& line, const Picture::Point& point) {
  if (!line.empty() && line.back().x == point.x && line.back().y == point.y) return;
  const std::size_t count = line.size();
  if (count > 1 && line[count - 1].y == point.y && line[count - 2].y == point.y) line.pop_back();
  line.push_back(point);
}

std::vector<Picture::Point> thinned(const std::vector<Picture::Point>& path) {
  std::vector<Picture::Point> kept;
  for (std::size_t i = 0; i < path.size();) {
    const double slot = std::floor(path[i].x * 2);
    std::size_t end = i;
    while (end < path.size() && std::floor(path[end].x * 2) == slot) ++end;
    const auto [high, low] =
        std::minmax_element(path.begin() + static_cast<std::ptrdiff_t>(i),
                            path.begin() + static_cast<std::ptrdiff_t>(end),
                            [](const auto& a, const auto& b) { return a.y < b.y; });
    extend(kept, path[i]);
    extend(kept, *std::min(high, low));
    extend(kept, *std::max(high, low));
    extend(kept, path[end - 1]);
    i = end;
  }
  return kept;
}

}  // namespace

Picture::Contours path_lines(const std::vector<Picture::Point>& path) {
  const std::vector<Picture::Point> line = thinned(path);
  if (line.empty()) return {};
  if (changes_of_row(path) <= most_changes) return {line};
  Picture::Contours pieces;
  for (std::size_t i = 0; i < line.size();) {
    const Picture::Point& start = line[i];
    std::size_t end = i;
    while (end < line.size() && line[end].y == start.y) ++end;
    constexpr double shortest = 1.5;
    pieces.push_back({start, {std::max(line[end - 1].x, start.x + shortest), start.y}});
    i = end;
  }
  return pieces;
}

}  // namespace bracket::viz
