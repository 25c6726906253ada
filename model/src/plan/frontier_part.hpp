// SPDX-License-Identifier: MIT

#pragma once

#include <span>

#include "bracket/model/plan.hpp"
#include "plan/range_set.hpp"

namespace bracket::model {

/// The part of a rank that exchanges frontiers. Messages carry the frontiers of contiguous ranges
/// of elements, and adjacent frontiers are joined. Joining frontiers is associative, so any
/// exchange that keeps ranges contiguous is correct.
class FrontierPart {
 public:
  /// Starts with the frontier of the rank's own elements.
  FrontierPart(const Problem& problem, Rank rank);

  /// Elements that the rank holds.
  [[nodiscard]] Range own() const { return own_; }

  /// Restricts the frontiers exchanged and joined from here on to these items. Initially, all
  /// items.
  void narrow(Range items) { items_ = items; }
  [[nodiscard]] Range items() const { return items_; }

  /// Sends or receives the frontiers of `ranges` in one message.
  void send(Rank to, std::span<const Range> ranges) { send(to, ranges, items_); }
  void send(Rank to, std::span<const Range> ranges, Range items);
  void recv(Rank from, std::span<const Range> ranges);

  /// Joins the frontiers of two adjacent ranges, either of which may be empty, and returns the
  /// range of both. Does not repeat earlier joins.
  Range join(Range left, Range right);

  /// The steps; the caller may append others.
  [[nodiscard]] RankPart& part() { return part_; }

 private:
  /// A range and its frontier, which need not be computed again while the range is the same.
  struct Known {
    Range range;
    std::vector<Partial> partials;
  };

  std::span<const Partial> partials(std::span<const Range> ranges, Range items);
  void find(Range range, Known& known) const;

  const Order& order_;
  Range own_;
  Range items_;
  RangeSet joined_;
  RankPart part_;

  // Nearly every message has the frontier of the latest join, or one that the next join appends.
  Known covered_;
  Known other_;
  std::vector<Partial> sent_;
  std::vector<JoinPair> joins_;
};

}  // namespace bracket::model
