// SPDX-License-Identifier: MIT

#pragma once

#include <string>
#include <vector>

#include "report/row_plots.hpp"
#include "tune/tune_options.hpp"

namespace bracket::tools {

/// The cost that a tuning minimises.
Measure cost_measure(const TuneOptions& options);

/// Plots of the candidates of a tuning, whose cost has the key of `cost`: the cost over the
/// messages, with the candidates that no other beats in both, and the cost of each candidate.
std::vector<viz::Plot> candidate_plots(const PlottedRows& rows, const Measure& cost);

/// Plots of the rows of `--front`: the largest share, and the cost, over the messages.
std::vector<viz::Plot> front_plots(const PlottedRows& rows, const Measure& cost);

/// The cost over the number of elements, for the rows of a range.
std::vector<viz::Plot> range_plots(const PlottedRows& rows, const Measure& cost);

}  // namespace bracket::tools
