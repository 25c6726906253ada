// SPDX-License-Identifier: MIT

#pragma once

#include <map>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "bracket/model/order.hpp"

namespace bracket::testing {

/// A full bracketing: where each bracket of two or more elements is split.
struct Bracketing {
  std::map<Range, Index> splits;
  std::vector<Index> parents;  ///< of each element but the first: the beginning of the left half

  Bracketing(Index elements, std::mt19937_64& random)
      : parents(static_cast<std::size_t>(elements) - 1) {
    split({0, elements}, random);
  }

  [[nodiscard]] Order order() const { return make_order(ExplicitTree(parents)); }

  template <class Value, class Join>
  Value reduced(std::span<const Value> elements, Join join, Range range) const {
    if (range.size() == 1) return elements[static_cast<std::size_t>(range.begin)];
    const Index middle = splits.at(range);
    return join(reduced(elements, join, {range.begin, middle}),
                reduced(elements, join, {middle, range.end}));
  }
  template <class Value, class Join>
  Value reduced(std::span<const Value> elements, Join join) const {
    return reduced(elements, join, {0, static_cast<Index>(elements.size())});
  }

 private:
  void split(Range range, std::mt19937_64& random) {
    if (range.size() < 2) return;
    const auto choices = static_cast<std::uint64_t>(range.size() - 1);
    // Often at an end, so that some trees are deep.
    const std::uint64_t drawn = random() % 3 == 0 ? 0 : random() % choices;
    const Index middle = range.begin + 1 + static_cast<Index>(drawn);
    splits[range] = middle;
    parents[static_cast<std::size_t>(middle) - 1] = range.begin;
    split({range.begin, middle}, random);
    split({middle, range.end}, random);
  }
};

}  // namespace bracket::testing
