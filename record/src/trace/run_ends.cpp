// SPDX-License-Identifier: MIT

#include "run_ends.hpp"

#include <algorithm>
#include <limits>

#include "bracket/support/text.hpp"

namespace bracket::record {

namespace {

/// "rank 3" or "ranks 0-2, 5".
std::string ranks_in_words(const std::vector<int>& ranks) {
  std::string words;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    if (words.size() > 40) {
      words += ", ...";
      break;
    }
    if (i > 0) words += ", ";
    words += last == i ? text(ranks[i]) : text(ranks[i], '-', ranks[last]);
    i = last + 1;
  }
  return (ranks.size() == 1 ? "rank " : "ranks ") + words;
}

/// Words for one way in which ranks end.
struct Words {
  End end;
  const char* before;
  const char* after;
};

constexpr Words words_of_ends[] = {
    {End::signal, "a signal ended ", ""},
    {End::abort, "", " called MPI_Abort"},
    {End::exit, "", " ended without MPI_Finalize"},
    {End::cut, "no end is in the file of ", ""},
};

}  // namespace

std::vector<std::string> early_ends(const Trace& trace, const std::string& name) {
  std::vector<std::string> sentences;
  for (const auto& [end, before, after] : words_of_ends) {
    std::vector<int> ranks;
    std::size_t fewest = std::numeric_limits<std::size_t>::max();
    std::size_t most = 0;
    for (const RankTrace& rank : trace.ranks) {
      if (rank.end != end) continue;
      ranks.push_back(rank.rank);
      fewest = std::min(fewest, rank.reductions.size());
      most = std::max(most, rank.reductions.size());
    }
    if (ranks.empty()) continue;
    const std::string reductions = most == 1 ? " reduction" : " reductions";
    sentences.push_back(text(name, end == End::cut ? " is cut: " : " ended early: ", before,
                             ranks_in_words(ranks), after, ", after ",
                             fewest == most ? text(most) : text(fewest, " to ", most), reductions,
                             end == End::cut ? ". Calls after the cut are not compared." : "."));
  }
  return sentences;
}

}  // namespace bracket::record
