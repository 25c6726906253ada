// SPDX-License-Identifier: MIT

#include "bracket/model/explicit_tree.hpp"

#include <algorithm>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket {

ExplicitTree::ExplicitTree(std::vector<Index> parents) : parents_(std::move(parents)) {
  const std::size_t elements = parents_.size() + 1;
  ends_.assign(elements, static_cast<Index>(elements));
  std::vector<Index> open{0};  // elements whose largest bracket may go on
  for (std::size_t x = 1; x < elements; ++x) {
    const Index wanted = parents_[x - 1];
    while (!open.empty() && open.back() != wanted) {
      ends_[static_cast<std::size_t>(open.back())] = static_cast<Index>(x);
      open.pop_back();
    }
    if (open.empty()) {
      throw Error(text("the parent of element ", x, " cannot be ", wanted, ": element ", x - 1,
                       ", its parent or another before it was expected"));
    }
    open.push_back(static_cast<Index>(x));
  }
  first_children_.assign(elements + 1, 0);
  for (const Index parent : parents_) ++first_children_[static_cast<std::size_t>(parent) + 1];
  for (std::size_t x = 0; x < elements; ++x) first_children_[x + 1] += first_children_[x];
  children_.resize(parents_.size());
  auto next = first_children_;
  for (std::size_t x = 1; x < elements; ++x) {
    children_[next[static_cast<std::size_t>(parents_[x - 1])]++] = static_cast<Index>(x);
  }
}

std::span<const Index> ExplicitTree::children(Index x) const {
  const auto i = static_cast<std::size_t>(x);
  return std::span(children_).subspan(first_children_[i],
                                      first_children_[i + 1] - first_children_[i]);
}

Range ExplicitTree::leading_bracket(Range within) const {
  const auto right_halves = children(within.begin);
  const auto behind =
      std::partition_point(right_halves.begin(), right_halves.end(),
                           [&](Index child) { return largest_bracket(child).end <= within.end; });
  if (behind == right_halves.begin()) return {within.begin, within.begin + 1};
  return {within.begin, largest_bracket(*(behind - 1)).end};
}

Index ExplicitTree::split(Range bracket) const {
  const auto right_halves = children(bracket.begin);
  return *std::partition_point(right_halves.begin(), right_halves.end(), [&](Index child) {
    return largest_bracket(child).end < bracket.end;
  });
}

}  // namespace bracket
