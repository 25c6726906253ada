#pragma once

#include <span>

#include "plans/frontier_part.hpp"
#include "plans/positions.hpp"

namespace bracket {

/// One rank's part of an all-reduce whose ranks exchange frontiers in groups that are contiguous
/// in rank order (Rabenseifner and Träff 2004). A *slot* is the place of a rank in its group: the
/// ranks of one slot in neighbouring groups exchange with each other.
class Exchange {
 public:
  Exchange(const Order& order, const Distribution& distribution, Rank rank)
      : positions_(distribution),
        distribution_(distribution),
        rank_(rank),
        part_(order, distribution, rank) {}

  [[nodiscard]] const Positions& positions() const { return positions_; }

  /// This rank's position; nothing if it holds no element and only gets the result.
  [[nodiscard]] std::optional<Index> position() const { return positions_.of(rank_); }

  /// Both send what they have to the other; `[begin, end)` are the other group's positions.
  void swap(Index other, Index begin, Index end);

  /// What one has goes to another.
  void give(Index other) { part_.send(positions_.rank(other)); }
  void take(Index other, Index begin, Index end);

  /// A group of a ring: who takes part in this rank's slot and which positions its group has.
  struct Member {
    Index position = 0;
    Index begin = 0;
    Index end = 0;
  };

  /// Everybody's frontier goes once around; it is joined when all have arrived.
  void ring(std::span<const Member> members, std::size_t self);

  /// This rank leaves here: it gets the result from `other`, who ends with `deliver_to` it.
  void leave_to(Index other) { result_from_ = other; }
  void deliver_to(Index other) { results_to_.push_back(other); }

  /// Closes the part: results to whom they are due, empty ranks included.
  [[nodiscard]] RankPart finish();

 private:
  Positions positions_;
  const Distribution& distribution_;
  Rank rank_;
  FrontierPart part_;
  std::optional<Index> result_from_;
  std::vector<Index> results_to_;
};

/// A plan that leaves the result on every rank and is refused for anything else.
class AllReducePlan : public Plan {
 public:
  explicit AllReducePlan(std::string spec) : spec_(std::move(spec)) {}

  [[nodiscard]] std::string spec() const final { return spec_; }
  void require(const Order& order, Delivery delivery) const final;

 private:
  std::string spec_;
};

/// Merges in stages: radix r merges r neighbouring groups, by a swap for r = 2 and a ring above.
/// What is left after the `radices`, an odd number of groups, is reduced by one 3-2 and pairs of
/// 2-1 eliminations to the power of two below it and goes on by swaps (section 3.3). The product
/// of the radices must divide the number of occupied ranks.
RankPart staged_part(const Order& order, const Distribution& distribution, Rank rank,
                     std::span<const Index> radices);

}  // namespace bracket
