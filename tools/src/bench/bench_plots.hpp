#pragma once

#include <vector>

#include "report/row_plots.hpp"

namespace bracket::tools {

/// Plots of the rows of `bench`: the time, and its ratio to the irreproducible sum, of each
/// candidate, over the number of elements if there are several.
std::vector<viz::Plot> bench_plots(const PlottedRows& rows);

}  // namespace bracket::tools
