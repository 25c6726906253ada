#pragma once

#include <span>
#include <string>

#include "plan/frontier_part.hpp"
#include "plan/positions.hpp"

namespace bracket {

/// One rank's part of a reduction whose ranks exchange frontiers in groups that are contiguous in
/// element order (Rabenseifner and Träff 2004). A *slot* is the place of a rank in its group: the
/// ranks of one slot in neighbouring groups exchange with each other.
///
/// Where elements are vectors of more items than a threshold, those that exchange share the items
/// among themselves, and each goes on with its share: halving instead of doubling (their figure 1).
/// What they then do to bring the shares of the result where they are wanted is the exchanges in
/// reverse; it is noted as they are made and done in the end.
class Exchange {
 public:
  /// Items are shared where there are more than `threshold` ≥ 1, and one at least for each.
  Exchange(const Problem& problem, Rank rank, Index threshold);

  [[nodiscard]] const Positions& positions() const { return positions_; }

  /// This rank's position; nothing if it takes no part and only gets the result.
  [[nodiscard]] std::optional<Index> position() const { return position_; }

  /// Merges with the group at the positions `theirs`, adjacent to its own: both send what they have
  /// to the other, or half of it.
  void swap(Index other, Range theirs);

  /// Merges with the group at `theirs`, of which `other` leaves and gets the result from this rank.
  void absorb(Index other, Range theirs);
  /// The other side: this rank leaves.
  void leave_to(Index other);

  /// Three groups become two: this rank's slot in them, in element order, and their positions.
  /// The third rank leaves (section 3.1).
  struct Three {
    Index first, second, third;
    Range firsts, seconds, thirds;
  };
  /// False if this rank has left.
  bool three_to_two(const Three& groups);

  /// A group of a ring: who takes part in this rank's slot and which positions its group has.
  struct Member {
    Index position = 0;
    Range group;
  };
  /// Merges all members, of whom this rank is number `self`: everybody's frontier goes once around,
  /// or, if items are shared, to each his share of it. Joined when all have arrived (section 3.4).
  void ring(std::span<const Member> members, std::size_t self);

  /// Merges all positions in ⌈log2 p⌉ rounds: each rank collects the frontier of the positions
  /// behind it, cyclically, in the way of Bar-Noy, Kipnis and Schieber's census (1993).
  void disseminate();

  /// Closes the part: results to whom they are due, empty ranks included.
  [[nodiscard]] RankPart finish();

 private:
  /// A message of the result, noted for the end.
  struct Transfer {
    StepKind kind;
    Index other;
    std::vector<Range> items;
  };
  using Transfers = std::vector<Transfer>;

  void send(Index other, Range items);
  void recv(Index other, Range theirs);  // and merges
  void merge(Range theirs);
  [[nodiscard]] bool shares(Index among) const;
  [[nodiscard]] Transfer result_to(Index other, Range group, Range items) const;
  [[nodiscard]] Transfer result_from(Index other, Range group, Range items) const;
  void ring_around(std::span<const Member> members, std::size_t self);
  void ring_shared(std::span<const Member> members, std::size_t self);
  [[nodiscard]] Transfers all_gather(std::span<const Member> members, std::size_t self,
                                     Range items) const;

  const Problem& problem_;
  Positions positions_;
  Rank rank_;
  Index threshold_;
  std::optional<Index> position_;
  FrontierPart part_;
  Range group_;    // positions that this rank's frontier is of
  Range covered_;  // their elements
  std::vector<Transfers> unwind_;
};

/// A plan of exchanges: what a rank does if it holds elements.
class ExchangePlan : public Plan {
 public:
  /// `spec` without the threshold, which is written behind it.
  ExchangePlan(const std::string& spec, Index threshold);

  [[nodiscard]] std::string spec() const final { return spec_; }
  [[nodiscard]] RankPart part(const Problem& problem, Rank rank) const final;

  /// Parameter `position` of a spec: items are shared where there are more. The default is about
  /// where a message of half of them costs as much as its latency.
  static Index threshold_from(const Spec& spec, std::size_t position) {
    return spec.integer(position, "threshold b", 1024, 1);
  }

 protected:
  virtual void run(Exchange& exchange) const = 0;

 private:
  std::string spec_;
  Index threshold_;
};

}  // namespace bracket
