// SPDX-License-Identifier: MIT

#include "time_shares.hpp"

#include <algorithm>
#include <cmath>

namespace bracket::viz {

TimeShares::TimeShares(std::size_t pieces) : pieces_(pieces) {
  for (Sums& sums : sums_) {
    sums.parts.resize(pieces, 0);
    sums.changes.resize(pieces + 1, 0);
  }
}

void TimeShares::add(Activity activity, double start, double end) {
  const auto most = static_cast<double>(pieces_);
  start = std::clamp(start, 0.0, most);
  end = std::clamp(end, 0.0, most);
  const auto first = std::min(static_cast<std::size_t>(start), pieces_ - 1);
  const auto last = std::min(static_cast<std::size_t>(end), pieces_ - 1);
  Sums& sums = sums_[static_cast<std::size_t>(activity)];
  if (first == last) {
    sums.parts[first] += end - start;
    return;
  }
  sums.parts[first] += static_cast<double>(first + 1) - start;
  sums.parts[last] += end - static_cast<double>(last);
  sums.changes[first + 1] += 1;
  sums.changes[last] -= 1;
}

std::array<std::vector<double>, activities> TimeShares::stacks(Rank ranks, double height) const {
  std::array<std::vector<double>, activities> stacks;
  std::vector<double> below(pieces_, 0);    // exact
  std::vector<double> reached(pieces_, 0);  // rounded
  for (std::size_t activity = 0; activity < stacks.size(); ++activity) {
    const Sums& sums = sums_[activity];
    stacks[activity].assign(pieces_, 0);
    double whole = 0;
    for (std::size_t i = 0; i < pieces_; ++i) {
      whole += sums.changes[i];
      const double share = (whole + sums.parts[i]) / static_cast<double>(ranks);
      below[i] += share * height;
      const double rounded = std::round(std::min(below[i], height) * 2) / 2;
      if (rounded > reached[i]) stacks[activity][i] = rounded;
      reached[i] = std::max(reached[i], rounded);
    }
  }
  return stacks;
}

}  // namespace bracket::viz
