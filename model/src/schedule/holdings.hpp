#pragma once

#include <map>
#include <unordered_map>
#include <vector>

#include "bracket/model/partial.hpp"

namespace bracket {

/// A set of indices, as ascending ranges that do not touch.
class IndexSet {
 public:
  void add(Range range);
  [[nodiscard]] bool contains(Range range) const;
  [[nodiscard]] bool overlaps(Range range) const;
  [[nodiscard]] const std::vector<Range>& ranges() const { return ranges_; }

 private:
  std::vector<Range> ranges_;
};

/// What a rank holds at some point of a schedule: elements and values of ranges, each over segments
/// of the items.
class Holdings {
 public:
  /// At first its own elements, with all their items.
  Holdings(Range own, Index items);

  void take(const Partial& partial);

  [[nodiscard]] bool has(const Partial& partial) const;
  /// Whether every element of `range` is at hand, over `segment`.
  [[nodiscard]] bool has_elements(Range range, Range segment) const;
  /// Whether the value of its range is there for any item of its segment.
  [[nodiscard]] bool has_some(const Partial& value) const;

 private:
  std::unordered_map<Range, IndexSet> values_;  // items, by range
  std::map<Range, IndexSet> elements_;          // elements, by segment
};

}  // namespace bracket
