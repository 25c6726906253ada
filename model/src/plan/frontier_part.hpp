// SPDX-License-Identifier: MIT

#pragma once

#include <memory>
#include <span>
#include <vector>

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
  ~FrontierPart();
  FrontierPart(const FrontierPart&) = delete;
  FrontierPart& operator=(const FrontierPart&) = delete;

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
  [[nodiscard]] RankPart& part() { return memory_->part; }

  /// The steps, in no more memory than they need.
  [[nodiscard]] RankPart finished() const { return memory_->part; }

 private:
  /// A range and its frontier, which need not be computed again while the range is the same.
  struct Known {
    Range range;
    std::vector<Partial> partials;
  };

  /// What a part needs while it is made. The thread's next part uses this memory again, because
  /// programs make millions of parts one after the other.
  struct Memory {
    RankPart part;
    RangeSet joined;  // ranges that joins made

    // Nearly every message has the frontier of the latest join, or one that the next join appends.
    Known covered;
    Known other;
    std::vector<Partial> sent;
    std::vector<JoinPair> joins;

    void clear(Items items);
    /// Whether it is small enough for a thread to keep.
    [[nodiscard]] bool is_small() const;
  };
  struct Spare;

  std::span<const Partial> partials(std::span<const Range> ranges, Range items);
  void find(Range range, Known& known) const;

  const Order& order_;
  Range own_;
  Range items_;
  std::unique_ptr<Memory> memory_;
};

}  // namespace bracket::model
