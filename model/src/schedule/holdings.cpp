// SPDX-License-Identifier: MIT

#include "schedule/holdings.hpp"

#include <algorithm>
#include <set>

namespace bracket::model {

void IndexSet::add(Range range) {
  if (range.empty()) return;
  const auto first = std::partition_point(ranges_.begin(), ranges_.end(),
                                          [&](Range r) { return r.end < range.begin; });
  const auto last =
      std::partition_point(first, ranges_.end(), [&](Range r) { return r.begin <= range.end; });
  if (first != last) {
    range = {std::min(range.begin, first->begin), std::max(range.end, std::prev(last)->end)};
  }
  ranges_.insert(ranges_.erase(first, last), range);
}

bool IndexSet::contains(Range range) const {
  const auto at = std::partition_point(ranges_.begin(), ranges_.end(),
                                       [&](Range r) { return r.end < range.end; });
  return at != ranges_.end() && at->contains(range);
}

bool IndexSet::overlaps(Range range) const {
  const auto at = std::partition_point(ranges_.begin(), ranges_.end(),
                                       [&](Range r) { return r.end <= range.begin; });
  return at != ranges_.end() && !at->intersection(range).empty();
}

Holdings::Holdings(Range own, Index items) { elements_[{0, items}].add(own); }

void Holdings::take(const Partial& partial) {
  if (!partial.run) values_[partial.range].add(partial.segment);
  if (partial.count() == partial.range.size()) elements_[partial.segment].add(partial.range);
}

bool Holdings::has(const Partial& partial) const {
  if (partial.run) return has_elements(partial.range, partial.segment);
  const auto found = values_.find(partial.range);
  return found != values_.end() && found->second.contains(partial.segment);
}

bool Holdings::has_elements(Range range, Range segment) const {
  std::set<Index> cuts{segment.begin, segment.end};
  for (const auto& [items, elements] : elements_) {
    if (items.contains(segment) && elements.contains(range)) return true;
    for (const Index cut : {items.begin, items.end}) {
      if (segment.contains(cut)) cuts.insert(cut);
    }
  }
  // No single source suffices. Between two cuts every source has all items or none of them.
  for (auto cut = cuts.begin(); std::next(cut) != cuts.end(); ++cut) {
    IndexSet at_hand;
    for (const auto& [items, elements] : elements_) {
      if (!items.contains(*cut)) continue;
      for (const Range piece : elements.ranges()) at_hand.add(piece);
    }
    if (!at_hand.contains(range)) return false;
  }
  return true;
}

bool Holdings::has_some(const Partial& value) const {
  const auto found = values_.find(value.range);
  return found != values_.end() && found->second.overlaps(value.segment);
}

}  // namespace bracket::model
