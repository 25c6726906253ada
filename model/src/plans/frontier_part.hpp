#pragma once

#include "bracket/model/plan.hpp"

namespace bracket {

/// The part of a rank that exchanges frontiers with others: messages carry the frontier of a
/// contiguous range of elements, and what is adjacent is joined. Frontiers join associatively, so
/// any exchange that keeps ranges contiguous is right.
class FrontierPart {
 public:
  /// Begins with the frontier of the rank's own elements.
  FrontierPart(const Order& order, const Distribution& distribution, Rank rank);

  /// Elements that the rank's frontier stands for.
  [[nodiscard]] Range covered() const { return covered_; }

  /// Sends the frontier.
  void send(Rank to) { part_.send(to, partials_); }

  /// Receives the frontier of `theirs`, which is adjacent, and joins it.
  void recv(Rank from, Range theirs);

  /// Sends and receives the frontier of `theirs` without joining it.
  void pass(Rank to, Range theirs) { part_.send(to, order_.frontier(theirs)); }
  void set_aside(Rank from, Range theirs) { part_.recv(from, order_.frontier(theirs)); }

  /// Joins the frontier of `theirs`, which is adjacent and was set aside.
  void join(Range theirs);

  /// The steps, to which others may be added behind.
  [[nodiscard]] RankPart& part() { return part_; }

 private:
  const Order& order_;
  Range covered_;
  std::vector<Partial> partials_;
  RankPart part_;
};

}  // namespace bracket
