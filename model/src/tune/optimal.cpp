// SPDX-License-Identifier: MIT

#include "bracket/model/optimal.hpp"

#include <algorithm>
#include <limits>
#include <queue>

#include "bracket/model/tree.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "tune/fewest_messages.hpp"

namespace bracket {

namespace {

/// Largest shares between `above` and `known`. None has a lower score than the bound.
struct Shares {
  Index above = 0;
  Index known = 0;
  Index least_messages = 0;  // with `known`
  bool halved = false;       // whether `above` was examined after `known`
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
                       costs.add_seconds, " give a score that is not finite"));
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
    // If a smaller share was no better, test the best share minus one: it shows whether any smaller
    // share is better.
    const bool is_step = shares.known == best_share_ && shares.halved;
    const Index between =
        is_step ? shares.known - 1 : tree::roundest_between(shares.above, shares.known);
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
    const model::FewestMessages::Bounds messages = fewest_.with(share);
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
  model::FewestMessages fewest_;
  ScoreCosts costs_;
  std::priority_queue<Shares> open_;
  Index best_share_ = 0;
  double best_ = std::numeric_limits<double>::infinity();
  double bound_of_known_ = std::numeric_limits<double>::infinity();
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

}  // namespace bracket
