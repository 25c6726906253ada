// SPDX-License-Identifier: MIT

#pragma once

#include <vector>

#include "report/row_plots.hpp"

namespace bracket::tools {

/// Plots of the rows of `validate`: predicted against measured times, and the errors by size, by
/// ranks and by model.
std::vector<viz::Plot> validate_plots(const PlottedRows& rows);

}  // namespace bracket::tools
