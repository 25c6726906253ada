// SPDX-License-Identifier: MIT

#pragma once

#include <span>

#include "bracket/model/spec.hpp"
#include "figures/figure_runs.hpp"
#include "figures/source_figure.hpp"

/// The tables and figures of the papers that Bracket builds on. Each function makes one. All throw
/// `Error` if a command fails.
namespace bracket::tools {

/// A row of the table of figures.
struct SourceFigureEntry {
  CatalogueEntry entry;
  SourceFigure (*make)(const FigureRuns& runs);
};

/// All figures, in the sequence of the page.
std::span<const SourceFigureEntry> source_figures();

/// C. Stelz, Core-Count Independent Reproducible Reduce, Karlsruhe 2022.
SourceFigure thesis_table_3_1(const FigureRuns& runs);
SourceFigure thesis_table_3_2(const FigureRuns& runs);
SourceFigure thesis_table_3_3(const FigureRuns& runs);
SourceFigure thesis_table_4_2(const FigureRuns& runs);
SourceFigure thesis_figure_2_3(const FigureRuns& runs);
SourceFigure thesis_figure_3_4(const FigureRuns& runs);
SourceFigure thesis_figure_3_5(const FigureRuns& runs);
SourceFigure thesis_figure_3_6(const FigureRuns& runs);
SourceFigure thesis_figure_3_7(const FigureRuns& runs);
SourceFigure thesis_figure_3_8(const FigureRuns& runs);
SourceFigure thesis_figure_b_1(const FigureRuns& runs);
SourceFigure thesis_figure_4_1_a(const FigureRuns& runs);
SourceFigure thesis_figure_4_1_b(const FigureRuns& runs);
SourceFigure thesis_figure_4_2(const FigureRuns& runs);
SourceFigure thesis_figure_4_3(const FigureRuns& runs);
SourceFigure thesis_figure_4_4(const FigureRuns& runs);

/// R. Rabenseifner and J. L. Traeff, More Efficient Reduction Algorithms for Non-Power-of-Two
/// Number of Processors in Message-Passing Parallel Systems, 2004.
SourceFigure rabenseifner_traeff_table_1(const FigureRuns& runs);
SourceFigure rabenseifner_traeff_figures_2_3(const FigureRuns& runs);
SourceFigure rabenseifner_traeff_figure_4(const FigureRuns& runs);
SourceFigure rabenseifner_traeff_figure_5(const FigureRuns& runs);
SourceFigure rabenseifner_traeff_figure_6(const FigureRuns& runs);

/// J. Demmel and H. D. Nguyen, Numerical Reproducibility and Accuracy at ExaScale, 2013.
SourceFigure demmel_nguyen_error(const FigureRuns& runs);
SourceFigure demmel_nguyen_figure_4(const FigureRuns& runs);

}  // namespace bracket::tools
