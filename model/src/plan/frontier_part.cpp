// SPDX-License-Identifier: MIT

#include "plan/frontier_part.hpp"

namespace bracket::model {

FrontierPart::FrontierPart(const Problem& problem, Rank rank)
    : order_(problem.order),
      own_(problem.distribution.range(rank)),
      items_{0, problem.items},
      part_(problem.items) {
  for (std::vector<Partial>* const partials : {&covered_.partials, &other_.partials, &sent_}) {
    partials->reserve(16);  // in place of 1, 2, 4 and 8, for each of a million ranks
  }
  find(own_, covered_);
  for (const Partial& partial : covered_.partials) {
    if (!partial.run) part_.fold(partial);
  }
}

void FrontierPart::find(Range range, Known& known) const {
  if (known.range == range) return;
  order_.frontier(range, known.partials);
  known.range = range;
}

/// The partials of `ranges`. Valid until the next call.
std::span<const Partial> FrontierPart::partials(std::span<const Range> ranges, Range items) {
  sent_.clear();
  for (const Range range : ranges) {
    Known& known = range == covered_.range ? covered_ : other_;
    find(range, known);
    sent_.insert(sent_.end(), known.partials.begin(), known.partials.end());
  }
  for (Partial& partial : sent_) partial.segment = items;
  return sent_;
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
  if (right == covered_.range) std::swap(covered_, other_);
  find(left, covered_);
  find(right, other_);
  joins_.clear();
  append_to_frontier(order_, covered_.partials, other_.partials, joins_);
  covered_.range = {left.begin, right.end};
  for (const auto& [first, second] : joins_) {
    if (!joined_.insert({first.range.begin, second.range.end})) continue;
    part_.join(first.over(items_), second.over(items_));
  }
  return covered_.range;
}

}  // namespace bracket::model
