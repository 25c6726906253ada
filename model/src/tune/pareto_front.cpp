// SPDX-License-Identifier: MIT

#include <algorithm>
#include <limits>
#include <queue>

#include "bracket/model/optimal.hpp"
#include "bracket/model/tree.hpp"
#include "tune/fewest_messages.hpp"

namespace bracket::model {

namespace {

/// A largest share and its number of messages.
struct Known {
  Index share = 0;
  FewestMessages::Bounds messages{};
};

/// Two largest shares; those between them have not been examined.
struct Gap {
  Known low;
  Known high;

  /// The gap with the largest drop in messages is examined first.
  bool operator<(const Gap& other) const { return fall() < other.fall(); }

 private:
  [[nodiscard]] Index fall() const { return low.messages.least - high.messages.reached; }
};

}  // namespace

ParetoFront pareto_front(FewestMessages& fewest, const BoundaryWindows& windows, Index budget,
                         const std::function<void(Index)>& progress) {
  const auto known = [&](Index share) { return Known{share, fewest.with(share)}; };
  constexpr Index impossible = std::numeric_limits<Index>::max();
  std::priority_queue<Gap> gaps;
  gaps.push({{windows.least_largest_share() - 1, {impossible, impossible}},
             known(windows.most_largest_share())});
  ParetoFront front{{}, true};
  while (!gaps.empty()) {
    const auto [low, high] = gaps.top();
    gaps.pop();
    if (low.messages.reached == high.messages.least) continue;
    if (high.share - low.share > 1 && fewest.spent() < budget) {
      const Known between = known(tree::roundest_between(low.share, high.share));
      gaps.push({low, between});
      gaps.push({between, high});
    } else if (high.share - low.share == 1 && high.messages.exact() &&
               low.messages.least > high.messages.least) {
      front.points.push_back({high.messages.least, high.share});
      if (progress) progress(static_cast<Index>(front.points.size()));
    } else {
      front.complete = false;
    }
  }
  std::sort(front.points.begin(), front.points.end(),
            [](const auto& a, const auto& b) { return a.largest_share < b.largest_share; });
  return front;
}

}  // namespace bracket::model

namespace bracket {

ParetoFront pareto_front(const Order& order, const BoundaryWindows& windows, Index budget,
                         const std::function<void(Index)>& progress) {
  model::FewestMessages fewest(order, windows);
  return model::pareto_front(fewest, windows, budget, progress);
}

}  // namespace bracket
