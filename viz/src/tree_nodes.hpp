// SPDX-License-Identifier: MIT

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bracket/viz/tree_dot.hpp"

namespace bracket::viz {

/// A bracket in the picture of a tree.
struct TreeNode {
  Range bracket;
  Index depth = 0;             ///< levels below the root
  std::ptrdiff_t parent = -1;  ///< position in the list; −1 for the root
  Rank rank = 0;               ///< rank of its first element
  Index level = 0;             ///< levels above the deepest leaf under it
  bool split = false;          ///< drawn with its two halves below it
  bool local = false;          ///< all of its elements are on one rank
  bool intersecting = false;   ///< drawn, and its halves belong to distinct ranks
  bool outbound = false;       ///< right half of an intersecting bracket
  Index inside = 0;            ///< PE-intersecting nodes below it that are not drawn

  [[nodiscard]] bool folded() const { return !split && bracket.size() > 1; }
};

/// Which brackets are folded: those more than `depth` levels below the root that lie on one rank,
/// and with `groups` all others that deep, too.
struct TreeFolding {
  std::optional<Index> depth;
  bool groups = false;
};

/// The brackets to draw, each before its halves and the left half before the right one.
struct DrawnTree {
  TreeFolding folding;
  std::vector<TreeNode> nodes;
};

/// Folds as `drawing` says or, if that gives too many leaves, at the largest depth that does not;
/// subtrees of several ranks are folded only if there is no other way.
DrawnTree drawn_tree(const Order& order, const Distribution& distribution,
                     const TreeDrawing& drawing);

}  // namespace bracket::viz
