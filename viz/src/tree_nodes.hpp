#pragma once

#include <cstddef>
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
  bool intersecting = false;   ///< its halves belong to distinct ranks
  bool outbound = false;       ///< right half of an intersecting bracket

  [[nodiscard]] bool folded() const { return !split && bracket.size() > 1; }
};

/// The brackets to draw, each before its halves and the left half before the right one. Throws
/// `Error` if the picture would have too many leaves.
std::vector<TreeNode> tree_nodes(const Order& order, const Distribution& distribution,
                                 const TreeDrawing& drawing);

}  // namespace bracket::viz
