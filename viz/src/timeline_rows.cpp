// SPDX-License-Identifier: MIT

#include "timeline_rows.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "bracket/support/text.hpp"

namespace bracket::viz {

namespace {

/// At most `most` ranks that the critical path visits, those on which it stays longest, in order.
std::vector<Rank> visited(const ScheduleTimes& times, std::size_t most) {
  std::map<Rank, double> stays;
  for (const std::size_t place : times.critical_path) {
    const BusyTime& busy = times.busy[place];
    stays[busy.rank] += busy.end - busy.start;
  }
  std::vector<std::pair<Rank, double>> all(stays.begin(), stays.end());
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  all.resize(std::min(all.size(), most));
  std::vector<Rank> ranks;
  for (const auto& [rank, _] : all) ranks.push_back(rank);
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

/// Rows that `length` ranks need if each has at most `share`.
Index rows_of(Index length, Index share) { return (length + share - 1) / share; }

}  // namespace

std::string TimelineRow::label() const { return single() ? text(first) : text(first, "–", last); }

std::vector<TimelineRow> timeline_rows(Rank ranks, const ScheduleTimes& times,
                                       std::size_t most_single, std::size_t most_rows) {
  std::vector<TimelineRow> rows;
  if (static_cast<std::size_t>(ranks) <= most_single) {
    const std::vector<Rank> critical = visited(times, static_cast<std::size_t>(ranks));
    for (Rank rank = 0; rank < ranks; ++rank) {
      rows.push_back({rank, rank, std::binary_search(critical.begin(), critical.end(), rank)});
    }
    return rows;
  }
  std::vector<Rank> kept = visited(times, most_rows / 3);
  const auto left = static_cast<Index>(most_rows - kept.size());
  kept.push_back(ranks);  // ends the last run of others
  const auto total = [&](Index share) {
    Index sum = 0;
    Rank begin = 0;
    for (const Rank rank : kept) {
      sum += rows_of(rank - begin, share);
      begin = rank + 1;
    }
    return sum;
  };
  Index share = rows_of(ranks, left);
  while (total(share) > left) share += std::max<Index>(1, share / 16);
  Rank begin = 0;
  for (const Rank rank : kept) {
    const Index count = rows_of(rank - begin, share);
    for (Index i = 0; i < count; ++i) {
      const Range part = block(rank - begin, i, count);
      rows.push_back(
          {begin + static_cast<Rank>(part.begin), begin + static_cast<Rank>(part.end) - 1});
    }
    if (rank < ranks) rows.push_back({rank, rank, true});
    begin = rank + 1;
  }
  return rows;
}

}  // namespace bracket::viz
