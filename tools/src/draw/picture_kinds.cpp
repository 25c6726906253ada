// SPDX-License-Identifier: MIT

#include "draw/picture_kinds.hpp"

#include <algorithm>
#include <vector>

#include "bracket/support/error.hpp"

namespace bracket::tools {

namespace {

constexpr PictureEntry kind_table[] = {
    {{"tree", "", "the order as a tree, without a plan", ""}},
    {{"steps", "", "a box for each step, in a column for each rank", ""}},
    {{"timeline", "", "ranks down, time across", ""}, true},
    {{"matrix", "", "the bytes from each rank to each other", ""}},
    {{"levels", "", "a table of the messages by level", ""}, true},
    {{"overview", "", "levels, timeline and matrix in one picture", ""}, true},
};

}  // namespace

std::span<const PictureEntry> picture_kinds() { return kind_table; }

const PictureEntry& entry_of(PictureKind kind) {
  return kind_table[static_cast<std::size_t>(kind)];
}

PictureKind picture_kind(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kind_table), std::end(kind_table),
                   [&](const PictureEntry& row) { return row.entry.name == name; });
  if (found == std::end(kind_table)) throw Error(unknown_name("picture", name, kind_table));
  return static_cast<PictureKind>(found - std::begin(kind_table));
}

std::string timed_kinds() {
  std::vector<CatalogueEntry> timed;
  for (const PictureEntry& row : kind_table) {
    if (row.timed) timed.push_back(row.entry);
  }
  return alternatives(timed);
}

}  // namespace bracket::tools
