// SPDX-License-Identifier: MIT

#pragma once

#include <utility>
#include <vector>

#include "bracket/model/order.hpp"

namespace bracket::tools {

/// Folds all elements by an order with a fixed bracketing, an explicit one included. `element(i)`
/// is the value of element i, and `join(left, right)` that of two neighbours.
template <class Element, class Join>
auto fold_in_order(const Order& order, Element element, Join join) {
  using Value = decltype(element(Index{0}));
  struct Open {
    Index begin;
    Value value;
  };
  // Brackets that a later element may still extend, each inside the one before it.
  std::vector<Open> open;
  open.push_back({0, element(0)});
  const auto close = [&] {
    const Value right = std::move(open.back().value);
    open.pop_back();
    open.back().value = join(open.back().value, right);
  };
  for (Index x = 1; x < order.elements(); ++x) {
    const Index partner = order.left_partner(x);
    while (open.back().begin != partner) close();
    open.push_back({x, element(x)});
  }
  while (open.size() > 1) close();
  return open.front().value;
}

}  // namespace bracket::tools
