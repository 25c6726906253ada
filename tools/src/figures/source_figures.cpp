// SPDX-License-Identifier: MIT

#include "figures/source_figures.hpp"

namespace bracket::tools {

namespace {

constexpr SourceFigureEntry figure_table[] = {
    {{"thesis-figure-2.3", "", "messages over the number of elements", "thesis, figure 2.3"},
     thesis_figure_2_3},
    {{"thesis-table-3.1", "", "scores of the even distributions", "thesis, table 3.1"},
     thesis_table_3_1},
    {{"thesis-table-3.2", "", "score of powers of two", "thesis, table 3.2"}, thesis_table_3_2},
    {{"thesis-table-3.3", "", "score of the optimized distribution", "thesis, table 3.3"},
     thesis_table_3_3},
    {{"thesis-figure-3.4", "", "gain of the optimized distribution", "thesis, figure 3.4"},
     thesis_figure_3_4},
    {{"thesis-figure-3.5", "", "elements on each rank", "thesis, figure 3.5"}, thesis_figure_3_5},
    {{"thesis-figure-3.6", "", "time to find the rank of an element", "thesis, figure 3.6"},
     thesis_figure_3_6},
    {{"thesis-figure-3.7", "", "eight elements in vector registers", "thesis, figure 3.7"},
     thesis_figure_3_7},
    {{"thesis-figure-3.8", "", "sums on one rank", "thesis, figure 3.8"}, thesis_figure_3_8},
    {{"thesis-figure-b.1", "", "when the message buffer is flushed", "thesis, figure B.1"},
     thesis_figure_b_1},
    {{"thesis-figure-4.1a", "", "time over N on 256 ranks", "thesis, figure 4.1 (a)"},
     thesis_figure_4_1_a},
    {{"thesis-figure-4.1b", "", "time over N on 1 280 ranks", "thesis, figure 4.1 (b)"},
     thesis_figure_4_1_b},
    {{"thesis-figure-4.2", "", "slowdown against other methods",
      "thesis, figures 4.2, B.3 and B.4"},
     thesis_figure_4_2},
    {{"thesis-figure-4.3", "", "distribution of times", "thesis, figures 4.3 and B.2"},
     thesis_figure_4_3},
    {{"thesis-figure-4.4", "", "speedup over p", "thesis, figure 4.4"}, thesis_figure_4_4},
    {{"thesis-table-4.2", "", "differences of sums on different numbers of ranks",
      "thesis, table 4.2"},
     thesis_table_4_2},
    {{"rabenseifner-traeff-table-1", "", "times of four protocols",
      "Rabenseifner and Traeff 2004, table 1"},
     rabenseifner_traeff_table_1},
    {{"rabenseifner-traeff-figure-2", "", "butterfly",
      "Rabenseifner and Traeff 2004, figures 2 and 3"},
     rabenseifner_traeff_figures_2_3},
    {{"rabenseifner-traeff-figure-4", "", "overlapping elimination",
      "Rabenseifner and Traeff 2004, figure 4"},
     rabenseifner_traeff_figure_4},
    {{"rabenseifner-traeff-figure-5", "", "non-overlapping elimination",
      "Rabenseifner and Traeff 2004, figure 5"},
     rabenseifner_traeff_figure_5},
    {{"rabenseifner-traeff-figure-6", "", "a ring for the odd factor",
      "Rabenseifner and Traeff 2004, figure 6"},
     rabenseifner_traeff_figure_6},
    {{"demmel-nguyen-error", "", "error of 1-Reduction", "Demmel and Nguyen 2013, section II C"},
     demmel_nguyen_error},
    {{"demmel-nguyen-figure-4", "", "cost of 1-Reduction over p",
      "Demmel and Nguyen 2013, figure 4"},
     demmel_nguyen_figure_4},
};

}  // namespace

std::span<const SourceFigureEntry> source_figures() { return figure_table; }

}  // namespace bracket::tools
