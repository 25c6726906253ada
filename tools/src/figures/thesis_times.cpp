// SPDX-License-Identifier: MIT

#include "figures/thesis_times.hpp"

#include <sstream>

#include "bracket/model/spec.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "bracket/support/whole_number.hpp"
#include "rows/csv.hpp"

namespace bracket::tools {

std::vector<Index> thesis_sizes(bool quick) {
  if (quick) return {460, 1602, 239763};
  return {460, 767, 898, 1602, 239763, 504850, 1327505, 1806035, 3011099, 21410970};
}

std::vector<PublishedTimes> published_times(const FigureRuns& runs) {
  std::vector<PublishedTimes> all;
  const std::string file = "published/thesis_p256.csv";
  const auto content = runs.published(file);
  if (!content) return all;
  std::istringstream table(*content);
  std::string line;
  read_csv_line(table, line);
  for (int number = 2; read_csv_line(table, line); ++number) {
    if (line.empty()) continue;
    const std::string where = text(file, ", line ", number);
    const auto cells = csv_cells(line);
    if (cells.size() != 5) {
      throw Error(text(where, ": 5 cells were expected, not ", cells.size()));
    }
    const auto seconds = [&](std::size_t i) {
      const double microseconds = parse_number(cells[i], where);
      if (!(microseconds > 0)) throw Error(text(where, ": a time of ", cells[i], " microseconds"));
      return 1e-6 * microseconds;
    };
    const Index elements = support::parse_count(cells[0], where);
    if (elements < 1) throw Error(text(where, ": ", elements, " elements"));
    all.push_back({elements, seconds(2), seconds(3), seconds(4)});
  }
  if (all.empty()) throw Error(text(file, ": no line of times after the first line"));
  return all;
}

std::string words_about_published(bool found) {
  if (!found) {
    return "The thesis's published times are missing: give the folder that has "
           "published/thesis_p256.csv with --data FOLDER.";
  }
  return "The published times are those of run 70 of the thesis's program (stelzch/allreduce, "
         "benchmarks/visualize.ipynb). In this run, each rank also looped over its elements before "
         "each sum (--workload=1). std::accumulate with MPI_Allreduce takes 4.0 to 4.6 ns longer "
         "for each element of a rank than in run 27 without the loop, from N = 504 850 on. With "
         "4.15 ns, the loop explains 347 of the tree's 595 µs for N = 21 410 970, and 248 µs "
         "remain, as the thesis's abstract says.";
}

double predicted(const FigureRuns& runs, Index elements, Rank ranks, const std::string& machine,
                 const std::vector<std::string>& words, const std::string& key) {
  std::vector<std::string> command{"compare",
                                   "--predict",
                                   "-N",
                                   std::to_string(elements),
                                   "-p",
                                   std::to_string(ranks),
                                   "--distribution",
                                   "upper",
                                   "--machine",
                                   machine};
  command.insert(command.end(), words.begin(), words.end());
  return number_in(runs.rows(command).at(0), key);
}

}  // namespace bracket::tools
