#include "plans/frontier_part.hpp"

namespace bracket {

FrontierPart::FrontierPart(const Order& order, const Distribution& distribution, Rank rank)
    : order_(order), covered_(distribution.range(rank)), partials_(order.frontier(covered_)) {
  for (const Partial& partial : partials_) {
    if (!partial.run) part_.fold(partial.range);
  }
}

void FrontierPart::recv(Rank from, Range theirs) {
  set_aside(from, theirs);
  join(theirs);
}

void FrontierPart::join(Range theirs) {
  std::vector<Partial> added = order_.frontier(theirs);
  std::vector<JoinPair> joins;
  if (covered_.empty()) {
    covered_ = theirs;
    partials_ = std::move(added);
  } else if (theirs.begin == covered_.end) {
    append_to_frontier(order_, partials_, added, joins);
    covered_.end = theirs.end;
  } else {
    append_to_frontier(order_, added, partials_, joins);
    partials_ = std::move(added);
    covered_.begin = theirs.begin;
  }
  for (const auto& [left, right] : joins) part_.join(left, right);
}

}  // namespace bracket
