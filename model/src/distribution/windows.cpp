// SPDX-License-Identifier: MIT

#include "bracket/model/windows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket {

void check_alpha(double alpha) {
  if (!(alpha >= 0) || alpha > std::numeric_limits<double>::max()) {
    throw Error(text("alpha must be a finite number of at least 0, not ", alpha));
  }
}

BoundaryWindows::BoundaryWindows(Index elements, Rank ranks, double alpha, Moves moves)
    : elements_(elements), ranks_(ranks), downwards_(moves == Moves::downwards) {
  if (elements < 1) throw Error(text("N must be at least 1 element, not ", elements));
  if (ranks < 1) throw Error(text("p must be at least 1 rank, not ", ranks));
  check_alpha(alpha);
  share_ = elements / ranks;
  first_larger_ = ranks - elements % ranks;
  // The limit of Algorithm 3, so that every boundary that it moves stays in its window.
  const double limit = alpha * (static_cast<double>(elements) / static_cast<double>(ranks));
  reach_ = limit < static_cast<double>(elements) ? static_cast<Index>(limit) : elements;
}

Index BoundaryWindows::most_largest_share() const {
  Index most = 0;
  for (Index k = 0; k < ranks_; ++k) most = std::max(most, highest(k + 1) - lowest(k));
  return most;
}

}  // namespace bracket
