// SPDX-License-Identifier: MIT

#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "bracket/model/range.hpp"

namespace bracket::model {

/// Set of ranges that are not empty. It needs one allocation, not one for each range: the parts of
/// a million ranks have a set each.
class RangeSet {
 public:
  /// Returns false if the set already has the range.
  bool insert(Range range) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    Range& slot = find(range);
    if (slot == range) return false;
    slot = range;
    ++count_;
    return true;
  }

  /// Removes all ranges. Keeps the memory.
  void clear() {
    if (count_ > 0) std::fill(slots_.begin(), slots_.end(), Range{});
    count_ = 0;
  }

  /// Ranges for which there is memory.
  [[nodiscard]] std::size_t capacity() const { return slots_.size(); }

 private:
  /// Finds the slot that has the range, or is free for it.
  Range& find(Range range) {
    const std::size_t mask = slots_.size() - 1;  // a power of two
    std::size_t at = std::hash<Range>()(range) & mask;
    while (!slots_[at].empty() && slots_[at] != range) at = (at + 1) & mask;
    return slots_[at];
  }

  void grow() {
    std::vector<Range> before(slots_.empty() ? 16 : 2 * slots_.size());
    before.swap(slots_);
    for (const Range range : before) {
      if (!range.empty()) find(range) = range;
    }
  }

  std::vector<Range> slots_;  // empty ranges are free
  std::size_t count_ = 0;
};

}  // namespace bracket::model
