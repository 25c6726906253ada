// SPDX-License-Identifier: MIT

#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "dot.hpp"
#include "tree_nodes.hpp"

namespace bracket::viz {

/// Label of a node. A leaf's label is tall rather than wide. An inner node shows the thesis's
/// coordinates if the order is the thesis's tree, otherwise its range.
std::string label_of(const Order& order, const Distribution& distribution, const TreeNode& node);

/// Layout of the picture: a column for each leaf, a row for each level. A node is above its first
/// element. The line to its right half leads straight up from that half, then diagonally to the
/// node. No line crosses a node or another line.
class TreeLayout {
 public:
  TreeLayout(const Order& order, const Distribution& distribution, const DrawnTree& tree);

  /// A box with the nodes of a rank. Empty ranks side by side share a box. If the tree has groups
  /// of ranks, a box has the ranks whose elements are in its leaves.
  struct RankBox {
    Rank first = 0;
    std::string label;
    dot::Box box;
  };
  [[nodiscard]] const std::vector<RankBox>& ranks() const { return ranks_; }

  [[nodiscard]] dot::Point of(const TreeNode& node) const;

  /// Cubic Bézier curves from the node down to one of its halves.
  [[nodiscard]] std::string way(const TreeNode& from, const TreeNode& to) const;

 private:
  void place_ranks(const Distribution& distribution, bool groups);

  std::vector<const TreeNode*> leaves_;
  std::unordered_map<Index, Index> column_;  ///< x of the leaf that begins at an element
  std::vector<RankBox> ranks_;
  Index pitch_ = 0;   ///< distance between columns
  Index margin_ = 0;  ///< space left and right of the columns of a rank
  Index row_ = 0;     ///< distance between levels
  Index leaf_height_ = 0;
  Index right_ = 0;  ///< right end of the placed leaves
};

}  // namespace bracket::viz
