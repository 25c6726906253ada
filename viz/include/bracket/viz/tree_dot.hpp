// SPDX-License-Identifier: MIT

#pragma once

#include <optional>
#include <string>

#include "bracket/model/distribution.hpp"
#include "bracket/model/order.hpp"

namespace bracket {

/// Options for the drawing of a reduction tree.
struct TreeDrawing {
  /// Brackets more than this many levels below the root that lie on one rank are drawn folded,
  /// as one node; ≥ 0. Without a value, every element is drawn.
  std::optional<Index> depth;
  /// Most leaves (elements and folded brackets) in one picture; ≥ 1. If there would be more, the
  /// depth is the largest that has few enough. If none has, brackets of several ranks are folded,
  /// too, at the largest depth that has few enough leaves. Without a value of `depth`, folded trees
  /// have at most half as many leaves if possible, and at most a quarter with several ranks in one.
  Index most_leaves = 128;
};

/// The order's tree in Graphviz's DOT language, with the root at the top, the elements in order at
/// the bottom, and a box around the nodes of each rank (thesis, figures 2.2 and 3.3). A node
/// belongs to the rank of its first element. PE-intersecting nodes, outbound subtree roots and the
/// edges between ranks are marked, also by the attribute `class`. A folded bracket of several ranks
/// has the number of PE-intersecting nodes inside it. Throws `Error` if order and distribution
/// disagree on N, or if the order has no fixed bracketing.
std::string tree_dot(const Order& order, const Distribution& distribution,
                     const TreeDrawing& drawing = {});

}  // namespace bracket
