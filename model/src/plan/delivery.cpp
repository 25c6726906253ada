// SPDX-License-Identifier: MIT

#include "plan/delivery.hpp"

namespace bracket::model {

namespace {

/// The block of `rank`, at any position.
Range block_of(const Problem& problem, Index rank) {
  return problem.delivery.wanted(static_cast<Rank>(rank), problem.distribution.ranks(),
                                 problem.items);
}

/// Messages of the result that concern one rank.
class ResultMessages {
 public:
  ResultMessages(RankPart& part, const Problem& problem, Rank rank)
      : part_(part), result_(Range{0, problem.distribution.elements()}), rank_(rank) {}

  void add(Rank from, Rank to, Range items) {
    if (from == to || items.empty()) return;
    if (rank_ == from) part_.send(to, {{result_.over(items)}});
    if (rank_ == to) part_.recv(from, {{result_.over(items)}});
  }

 private:
  RankPart& part_;
  Partial result_;
  Rank rank_;
};

/// Sends from the head of a group of positions to the first position of the half without the head,
/// then continues in both halves.
void add_tree(ResultMessages& messages, const Problem& problem, Range group, Index head,
              Index self) {
  const Distribution& distribution = problem.distribution;
  while (group.size() > 1) {
    const Index middle = group.begin + group.size() / 2;
    const Range lower{group.begin, middle};
    const Range upper{middle, group.end};
    const bool head_is_below = lower.contains(head);
    const Range others = head_is_below ? upper : lower;
    messages.add(distribution.rank_at(head), distribution.rank_at(others.begin),
                 wanted_items(problem, others));
    if (others.contains(self)) {
      group = others;
      head = others.begin;
    } else {
      group = head_is_below ? lower : upper;
    }
  }
}

}  // namespace

Range wanted_items(const Problem& problem, Range positions) {
  if (problem.delivery.collective == Collective::reduce) {
    const Index root = problem.distribution.position_of(problem.delivery.root);
    return {0, positions.contains(root) ? problem.items.count : 0};
  }
  return {block_of(problem, positions.begin).begin, block_of(problem, positions.end - 1).end};
}

void append_delivery(RankPart& part, const Problem& problem, Range positions, Rank holder,
                     Rank rank) {
  const Distribution& distribution = problem.distribution;
  ResultMessages messages(part, problem, rank);
  const Index self = distribution.position_of(rank);
  if (problem.delivery.collective == Collective::reduce) {
    messages.add(holder, problem.delivery.root, wanted_items(problem, positions));
  } else {
    add_tree(messages, problem, positions, distribution.position_of(holder), self);
  }
  if (problem.delivery.collective == Collective::reduce_scatter) {
    messages.add(rank, static_cast<Rank>(self), block_of(problem, self));
    messages.add(distribution.rank_at(rank), rank, block_of(problem, rank));
  }
}

void append_delivery(RankPart& part, const Problem& problem, Rank holder, Rank rank) {
  append_delivery(part, problem, {0, problem.distribution.ranks()}, holder, rank);
}

}  // namespace bracket::model
