#include "plan/frontier_part.hpp"

namespace bracket::model {

FrontierPart::FrontierPart(const Problem& problem, Rank rank)
    : order_(problem.order),
      own_(problem.distribution.range(rank)),
      items_{0, problem.items},
      part_(problem.items) {
  order_.frontier(own_, left_);
  for (const Partial& partial : left_) {
    if (!partial.run) part_.fold(partial);
  }
}

/// The partials of `ranges`. Valid until the next call.
std::span<const Partial> FrontierPart::partials(std::span<const Range> ranges, Range items) {
  left_.clear();
  for (const Range range : ranges) {
    order_.frontier(range, right_);
    left_.insert(left_.end(), right_.begin(), right_.end());
  }
  for (Partial& partial : left_) partial.segment = items;
  return left_;
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
  order_.frontier(left, left_);
  order_.frontier(right, right_);
  joins_.clear();
  append_to_frontier(order_, left_, right_, joins_);
  for (const auto& [first, second] : joins_) {
    if (!joined_.insert({first.range.begin, second.range.end}).second) continue;
    part_.join(first.over(items_), second.over(items_));
  }
  return {left.begin, right.end};
}

}  // namespace bracket::model
