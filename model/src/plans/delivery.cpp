#include "plans/delivery.hpp"

namespace bracket {

Range wanted_items(const Problem& problem, Range ranks) {
  const auto& delivery = problem.delivery;
  const Rank count = problem.distribution.ranks();
  const auto wanted = [&](Index rank) {
    return delivery.wanted(static_cast<Rank>(rank), count, problem.items);
  };
  if (delivery.collective == Collective::reduce) {
    return {0, ranks.contains(delivery.root) ? problem.items : 0};
  }
  return {wanted(ranks.begin).begin, wanted(ranks.end - 1).end};
}

void append_delivery(RankPart& part, const Problem& problem, Range among, Rank holder, Rank rank) {
  const Partial result(Range{0, problem.distribution.elements()});
  const auto message = [&](Index from, Index to, Range items) {
    if (from == to || items.empty()) return;
    if (rank == from) part.send(static_cast<Rank>(to), {{result.over(items)}});
    if (rank == to) part.recv(static_cast<Rank>(from), {{result.over(items)}});
  };
  if (problem.delivery.collective == Collective::reduce) {
    message(holder, problem.delivery.root, wanted_items(problem, among));
    return;
  }
  Range group = among;
  Index head = holder;
  while (group.size() > 1) {
    const Index middle = group.begin + group.size() / 2;
    const Range lower{group.begin, middle};
    const Range upper{middle, group.end};
    const Range others = lower.contains(head) ? upper : lower;
    message(head, others.begin, wanted_items(problem, others));
    if (others.contains(rank)) {
      group = others;
      head = others.begin;
    } else {
      group = lower.contains(head) ? lower : upper;
    }
  }
}

void append_delivery(RankPart& part, const Problem& problem, Rank holder, Rank rank) {
  append_delivery(part, problem, {0, problem.distribution.ranks()}, holder, rank);
}

}  // namespace bracket
