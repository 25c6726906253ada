// SPDX-License-Identifier: MIT

#pragma once

#include <cmath>

#include "bracket/runtime/binned.hpp"

namespace bracket::tools {

/// Exponent of the least subnormal float64, of which all elements are multiples.
inline constexpr int least_exponent = -1074;

/// Exponent of the unit to which a binned sum rounds its elements, whose largest magnitude is
/// `largest` (see `BinnedSum`).
inline int binned_unit_exponent(double largest, const Algorithm& algorithm) {
  const int width = algorithm.width;
  constexpr int lowest = runtime::Bins::lowest;
  const int exponent = largest == 0 ? least_exponent : std::ilogb(largest);
  const int bin = (exponent - width * lowest) / width + lowest;  // the dividend is not negative
  return width * (bin - algorithm.parameter + 1) + 1;
}

}  // namespace bracket::tools
