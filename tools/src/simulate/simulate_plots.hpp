// SPDX-License-Identifier: MIT

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bracket/simulator/timeline.hpp"
#include "report/row_plots.hpp"
#include "sweep/sweep.hpp"

namespace bracket::tools {

/// Largest number of ranks whose timeline a report shows.
inline constexpr Rank most_timeline_ranks = 40;

/// Plots of the rows of `simulate`. Of a sweep: lines over a swept number, and heat maps over two.
/// Otherwise, the makespan of each row, and the end of each rank if the rows have it.
std::vector<viz::Plot> simulate_plots(const PlottedRows& rows, const std::vector<Sweep>& sweeps);

/// The timeline of a simulated row: a line of the plot for each rank. Nothing for more than
/// `most_timeline_ranks` ranks or a timeline with too many intervals to see.
std::optional<viz::Plot> timeline_plot(const Timeline& timeline, Rank ranks,
                                       const std::string& name);

}  // namespace bracket::tools
