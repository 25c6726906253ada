// SPDX-License-Identifier: MIT

#pragma once

#include <map>
#include <unordered_map>
#include <vector>

#include "bracket/model/partial.hpp"

namespace bracket::model {

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

/// Holdings of a rank at some point of a schedule: elements, and values of ranges, each over
/// segments of the items.
class Holdings {
 public:
  /// Initially the rank's own elements, with all their items.
  Holdings(Range own, Index items);

  void take(const Partial& partial);

  [[nodiscard]] bool has(const Partial& partial) const;
  /// Whether the rank holds every element of `range` over `segment`.
  [[nodiscard]] bool has_elements(Range range, Range segment) const;
  /// Whether the rank holds the value of its range for any item of its segment.
  [[nodiscard]] bool has_some(const Partial& value) const;

 private:
  std::unordered_map<Range, IndexSet> values_;  // items, by range
  std::map<Range, IndexSet> elements_;          // elements, by segment
};

}  // namespace bracket::model
