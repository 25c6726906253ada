// SPDX-License-Identifier: MIT

#pragma once

#include <span>
#include <string>

#include "plan/frontier_part.hpp"
#include "plan/positions.hpp"

namespace bracket::model {

/// One rank's part of a reduction whose ranks exchange frontiers in groups that are contiguous in
/// element order (Rabenseifner and Träff 2004). A *slot* is the place of a rank in its group: ranks
/// with the same slot in neighbouring groups exchange with each other.
///
/// If the vector length exceeds a threshold, the ranks of an exchange divide the items among
/// themselves, and each continues with its share: halving instead of doubling (their figure 1).
/// Afterwards the exchanges run in reverse to bring the shares of the result to their receivers.
/// Each exchange notes these transfers for the end.
class Exchange {
 public:
  /// Divides the items if there are more than `threshold` ≥ 1, and at least one for each rank.
  Exchange(const Problem& problem, Rank rank, Index threshold);

  [[nodiscard]] const Positions& positions() const { return positions_; }

  /// This rank's position. Empty if it takes no part and only receives the result.
  [[nodiscard]] std::optional<Index> position() const { return position_; }

  /// Merges with the group at the positions `theirs`, adjacent to this rank's group. Both sides
  /// send their frontier, or half of its items, to the other.
  void swap(Index other, Range theirs);

  /// Merges with the group at `theirs`, whose rank `other` leaves and receives the result from this
  /// rank.
  void absorb(Index other, Range theirs);
  /// Other side of `absorb`: this rank leaves.
  void leave_to(Index other);

  /// Reduction of three groups to two: this rank's slot in them, in element order, and their
  /// positions. The third rank leaves (section 3.1).
  struct Three {
    Index first, second, third;
    Range firsts, seconds, thirds;
  };
  /// Returns false if this rank has left.
  bool three_to_two(const Three& groups);

  /// A member of a ring: the position in this rank's slot, and the positions of its group.
  struct Member {
    Index position = 0;
    Range group;
  };
  /// Merges all members; this rank is number `self`. Each frontier travels once around or, if items
  /// are divided, each member receives its share. Frontiers are joined when all have arrived
  /// (section 3.4).
  void ring(std::span<const Member> members, std::size_t self);

  /// Merges all positions in ⌈log2 p⌉ rounds. Each rank collects the frontier of the positions
  /// behind it, cyclically, as in the census of Bar-Noy, Kipnis and Schieber (1993).
  void disseminate();

  /// Completes the part: delivers the result to its receivers, including empty ranks.
  [[nodiscard]] RankPart finish();

 private:
  /// A message of the result that is sent or received at the end.
  struct ResultTransfer {
    StepKind kind;
    Index other;
    std::vector<Range> items;
  };
  using ResultTransfers = std::vector<ResultTransfer>;

  void send(Index other, Range items);
  void recv(Index other, Range theirs);  // and merges
  void merge(Range theirs);
  [[nodiscard]] bool shares(Index among) const;
  [[nodiscard]] ResultTransfer result_to(Index other, Range group, Range items) const;
  [[nodiscard]] ResultTransfer result_from(Index other, Range group, Range items) const;
  void ring_around(std::span<const Member> members, std::size_t self);
  void ring_shared(std::span<const Member> members, std::size_t self);
  [[nodiscard]] ResultTransfers all_gather(std::span<const Member> members, std::size_t self,
                                           Range items) const;

  const Problem& problem_;
  Positions positions_;
  Rank rank_;
  Index threshold_;
  std::optional<Index> position_;
  FrontierPart part_;
  Range group_;    // positions that this rank's frontier covers
  Range covered_;  // their elements
  std::vector<ResultTransfers> unwind_;
};

/// A plan of exchanges: the part of a rank that holds elements.
class ExchangePlan : public Plan {
 public:
  /// `spec` excludes the threshold, which is appended to it.
  ExchangePlan(const std::string& spec, Index threshold);

  [[nodiscard]] std::string spec() const final { return spec_; }
  [[nodiscard]] RankPart make_part(const Problem& problem, Rank rank) const final;

  /// Parameter `position` of a spec: the number of items above which they are divided. At the
  /// default, sending half of the items takes about as long as the latency of a message.
  static Index threshold_from(const Spec& spec, std::size_t position) {
    return spec.integer(position, "threshold b", 1024, 1);
  }

 protected:
  virtual void run(Exchange& exchange) const = 0;

 private:
  std::string spec_;
  Index threshold_;
};

}  // namespace bracket::model
