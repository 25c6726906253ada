// SPDX-License-Identifier: MIT

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bracket/model/range.hpp"

namespace bracket {

/// Any full bracketing of N elements into contiguous ranges. The *parent* of element x > 0 is the
/// first element of the bracket that joins the largest bracket at x as its right half. In the tree
/// over the indices, the parent of x is x without its lowest set bit (thesis, equation 3.1). The
/// N − 1 parents determine the bracketing.
class ExplicitTree {
 public:
  /// `parents` are those of the elements 1 … N − 1. Throws `Error` unless the parent of each
  /// element is the element before it, or the parent of that, and so on: brackets are nested or
  /// disjoint.
  explicit ExplicitTree(std::vector<Index> parents);

  [[nodiscard]] Index elements() const { return static_cast<Index>(ends_.size()); }

  [[nodiscard]] std::span<const Index> parents() const { return parents_; }

  /// The parent of element x > 0.
  [[nodiscard]] Index parent(Index x) const { return parents_[static_cast<std::size_t>(x) - 1]; }

  /// The largest bracket that begins at x.
  [[nodiscard]] Range largest_bracket(Index x) const {
    return {x, ends_[static_cast<std::size_t>(x)]};
  }

  /// Largest bracket at `within.begin` that ends inside `within`, which must not be empty.
  [[nodiscard]] Range leading_bracket(Range within) const;

  /// The m for which `bracket`, of at least two elements, is the join of `[begin, m)` and
  /// `[m, end)`.
  [[nodiscard]] Index split(Range bracket) const;

  friend bool operator==(const ExplicitTree& left, const ExplicitTree& right) {
    return left.parents_ == right.parents_;
  }

 private:
  /// The elements whose parent is x, in ascending order.
  [[nodiscard]] std::span<const Index> children(Index x) const;

  std::vector<Index> parents_;
  std::vector<Index> ends_;      // of the largest bracket at each element
  std::vector<Index> children_;  // of element 0, then those of element 1, and so on
  std::vector<std::size_t> first_children_;
};

}  // namespace bracket
