#include "plans/frontier_part.hpp"

namespace bracket {

FrontierPart::FrontierPart(const Problem& problem, Rank rank)
    : order_(problem.order),
      own_(problem.distribution.range(rank)),
      items_{0, problem.items},
      part_(problem.items) {
  for (const Partial& partial : order_.frontier(own_)) {
    if (!partial.run) part_.fold(partial);
  }
}

std::vector<Partial> FrontierPart::partials(std::span<const Range> ranges, Range items) const {
  std::vector<Partial> all;
  for (const Range range : ranges) {
    for (const Partial& partial : order_.frontier(range)) all.push_back(partial.over(items));
  }
  return all;
}

void FrontierPart::send(Rank to, std::span<const Range> ranges, Range items) {
  part_.send(to, partials(ranges, items));
}

void FrontierPart::recv(Rank from, std::span<const Range> ranges) {
  part_.recv(from, partials(ranges, items_));
}

Range FrontierPart::join(Range left, Range right) {
  if (left.empty()) return right;
  if (right.empty()) return left;
  std::vector<JoinPair> joins;
  std::vector<Partial> partials = order_.frontier(left);
  append_to_frontier(order_, partials, order_.frontier(right), joins);
  for (const auto& [first, second] : joins) {
    if (!joined_.insert({first.range.begin, second.range.end}).second) continue;
    part_.join(first.over(items_), second.over(items_));
  }
  return {left.begin, right.end};
}

}  // namespace bracket
