// SPDX-License-Identifier: MIT

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "bracket/model/spec.hpp"

namespace bracket::tools {

/// Kinds of pictures that `bracket draw` makes.
enum class PictureKind : std::uint8_t { tree, steps, timeline, matrix, levels, overview };

/// A row of the table of kinds.
struct PictureEntry {
  CatalogueEntry entry;
  bool timed = false;  ///< shows the times of an engine
};

/// Every kind, in the sequence of `PictureKind`.
std::span<const PictureEntry> picture_kinds();

/// The row of a kind.
const PictureEntry& entry_of(PictureKind kind);

/// The kind of this name. Throws `Error` for an unknown name.
PictureKind picture_kind(std::string_view name);

/// Names the kinds that show the times of an engine: "timeline, levels or overview".
std::string timed_kinds();

}  // namespace bracket::tools
