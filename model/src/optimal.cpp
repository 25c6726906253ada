#include "bracket/model/optimal.hpp"

#include <algorithm>
#include <limits>
#include <queue>

#include "bracket/model/error.hpp"
#include "bracket/model/tree.hpp"
#include "fewest_messages.hpp"

namespace bracket {

namespace {

/// Of the numbers between two others the one that the highest power of two divides: where a share
/// can be such a one, messages become fewer.
Index roundest_between(Index low, Index high) {
  Index round = high - 1;
  while (tree::parent(round) > low) round = tree::parent(round);
  return round;
}

/// Largest shares between `above` and `known`, and no score of theirs is lower than the bound.
struct Shares {
  Index above = 0;
  Index known = 0;
  Index least_messages = 0;  // with `known`
  bool halved = false;       // whether `above` was looked at after `known`
  double bound_seconds = 0;

  bool operator<(const Shares& other) const { return bound_seconds > other.bound_seconds; }
};

class ScoreSearch {
 public:
  ScoreSearch(const Order& order, const BoundaryWindows& windows, const ScoreCosts& costs)
      : order_(order), fewest_(order, windows), costs_(costs) {
    look_at(windows.most_largest_share(), windows.least_largest_share() - 1);
    if (!(best_ < std::numeric_limits<double>::infinity())) {
      throw Error(text("a message of ", costs.send_seconds, " seconds and an addition of ",
                       costs.add_seconds, " make a score beyond all numbers"));
    }
  }

  [[nodiscard]] bool done() const { return open_.empty() || open_.top().bound_seconds >= best_; }
  [[nodiscard]] Index spent() const { return fewest_.spent(); }
  [[nodiscard]] double best() const { return best_; }
  [[nodiscard]] double bound() const {
    const double open = open_.empty() ? best_ : open_.top().bound_seconds;
    return std::min({best_, bound_of_known_, open});
  }

  void step() {
    const Shares shares = open_.top();
    open_.pop();
    // Where a smaller share was no better, one less than the best tells whether any is.
    const bool is_step = shares.known == best_share_ && shares.halved;
    const Index between = is_step ? shares.known - 1 : roundest_between(shares.above, shares.known);
    add({between, shares.known, shares.least_messages, true});
    look_at(between, shares.above);
  }

  OptimalDistribution result() {
    Distribution distribution = fewest_.distribution(best_share_);
    const bool first_is_empty = distribution.boundaries()[1] == 0;
    const Index messages = message_count(order_, distribution) + (first_is_empty ? 1 : 0);
    const double seconds = score(distribution, messages, costs_);
    return {std::move(distribution), messages, seconds, std::min(bound(), seconds)};
  }

 private:
  [[nodiscard]] double score_of(Index messages, Index largest_share) const {
    return costs_.send_seconds * static_cast<double>(messages) +
           costs_.add_seconds * static_cast<double>(largest_share);
  }

  void look_at(Index share, Index above) {
    const FewestMessages::Bounds messages = fewest_.with(share);
    if (const double seconds = score_of(messages.reached, share); seconds < best_) {
      best_ = seconds;
      best_share_ = share;
    }
    bound_of_known_ = std::min(bound_of_known_, score_of(messages.least, share));
    add({above, share, messages.least, false});
  }

  void add(Shares shares) {
    if (shares.known - shares.above < 2) return;
    shares.bound_seconds = score_of(shares.least_messages, shares.above + 1);
    open_.push(shares);
  }

  const Order& order_;
  FewestMessages fewest_;
  ScoreCosts costs_;
  std::priority_queue<Shares> open_;
  Index best_share_ = 0;
  double best_ = std::numeric_limits<double>::infinity();
  double bound_of_known_ = std::numeric_limits<double>::infinity();
};

/// A largest share and the messages with it.
struct Known {
  Index share = 0;
  FewestMessages::Bounds messages{};
};

/// Two largest shares with none between them looked at.
struct Gap {
  Known low;
  Known high;

  /// Where messages fall most is looked first.
  bool operator<(const Gap& other) const { return fall() < other.fall(); }

 private:
  [[nodiscard]] Index fall() const { return low.messages.least - high.messages.reached; }
};

}  // namespace

OptimalDistribution optimal_distribution(const Order& order, const BoundaryWindows& windows,
                                         const ScoreCosts& costs, Index budget,
                                         const SearchProgress& progress) {
  ScoreSearch search(order, windows, costs);
  while (!search.done() && search.spent() < budget) {
    if (progress) progress(search.best(), search.bound());
    search.step();
  }
  return search.result();
}

ParetoFront pareto_front(const Order& order, const BoundaryWindows& windows, Index budget,
                         const std::function<void(Index)>& progress) {
  FewestMessages fewest(order, windows);
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
      const Known between = known(roundest_between(low.share, high.share));
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

}  // namespace bracket
