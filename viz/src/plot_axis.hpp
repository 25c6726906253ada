// SPDX-License-Identifier: MIT

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bracket/viz/plot.hpp"

namespace bracket::viz {

/// Ends of an axis, and its ticks with their texts.
struct AxisScale {
  double low = 0;
  double high = 1;
  std::vector<std::pair<double, std::string>> ticks{};
};

/// Returns the scale of an axis that shows all `numbers`. Numbers that the axis cannot show do not
/// count.
AxisScale scale_of(const PlotAxis& axis, const std::vector<double>& numbers);

/// Whether an axis can show a number.
bool shows(const PlotAxis& axis, double number);

}  // namespace bracket::viz
