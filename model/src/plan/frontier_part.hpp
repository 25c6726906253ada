#pragma once

#include <span>
#include <unordered_set>

#include "bracket/model/plan.hpp"

namespace bracket {

/// The part of a rank that exchanges frontiers with others: messages carry the frontiers of
/// contiguous ranges of elements, and what is adjacent is joined. Frontiers join associatively, so
/// any exchange that keeps ranges contiguous is right.
class FrontierPart {
 public:
  /// Begins with the frontier of the rank's own elements.
  FrontierPart(const Problem& problem, Rank rank);

  /// Elements that the rank holds.
  [[nodiscard]] Range own() const { return own_; }

  /// Items of the frontiers that are exchanged and joined from here on; at first all.
  void narrow(Range items) { items_ = items; }
  [[nodiscard]] Range items() const { return items_; }

  /// Sends or receives the frontiers of `ranges`, one message.
  void send(Rank to, std::span<const Range> ranges) { send(to, ranges, items_); }
  void send(Rank to, std::span<const Range> ranges, Range items);
  void recv(Rank from, std::span<const Range> ranges);

  /// Joins the frontiers of two adjacent ranges, either of which may be empty. What has been joined
  /// before is not joined again. The range of both.
  Range join(Range left, Range right);

  /// The steps, to which others may be added behind.
  [[nodiscard]] RankPart& part() { return part_; }

 private:
  std::span<const Partial> partials(std::span<const Range> ranges, Range items);

  const Order& order_;
  Range own_;
  Range items_;
  std::unordered_set<Range> joined_;
  RankPart part_;

  // Room that is used again and again: a plan for very many ranks makes very many parts.
  std::vector<Partial> left_;
  std::vector<Partial> right_;
  std::vector<JoinPair> joins_;
};

}  // namespace bracket
