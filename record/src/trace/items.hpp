// SPDX-License-Identifier: MIT

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bracket/record/trace.hpp"

namespace bracket::record {

/// The first item in which two inputs or outputs differ.
struct ItemDifference {
  std::uint64_t item = 0;
  bool whole = true;  ///< all bytes of the item were kept; if not, there is no more of it here
  bool nan = false;   ///< one of the two is NaN
  std::optional<std::uint64_t> ulps{};  ///< absent unless both are finite floats
  std::string first{};
  std::string second{};
};

/// Returns nothing if the bytes that both kept are equal.
std::optional<ItemDifference> first_difference(const Data& a, const Data& b, const Type& type);

/// Returns the largest difference of the kept items; nothing if there is none in ulps.
std::optional<std::uint64_t> largest_ulps(const Data& a, const Data& b, const Type& type);

}  // namespace bracket::record
