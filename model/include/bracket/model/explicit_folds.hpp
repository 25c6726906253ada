// SPDX-License-Identifier: MIT

#pragma once

#include "bracket/model/order.hpp"
#include "bracket/model/schedule.hpp"

namespace bracket {

/// Calls `element(x)` for each element of `bracket`, which the explicit order `tree` reduces to one
/// value, and `join(left, right)` for each two brackets that it joins, in a sequence in which the
/// operands of a join are the two latest values that no join has used.
template <class Element, class Join>
void for_each_step(const ExplicitTree& tree, Range bracket, Element element, Join join) {
  std::vector<Range> open;
  const auto close = [&] {
    const Range right = open.back();
    open.pop_back();
    join(open.back(), right);
    open.back().end = right.end;
  };
  for (Index x = bracket.begin; x < bracket.end; ++x) {
    while (x > bracket.begin && open.back().begin != tree.parent(x)) close();
    element(x);
    open.push_back({x, x + 1});
  }
  while (open.size() > 1) close();
}

/// Replaces each fold of several elements by folds of single elements and joins if the order is
/// explicit: kernels fold only trees over chunks. The values stay the same.
RankPart with_single_folds(const Order& order, const RankPart& part);

}  // namespace bracket
