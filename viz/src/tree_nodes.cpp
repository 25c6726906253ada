// SPDX-License-Identifier: MIT

#include "tree_nodes.hpp"

#include <algorithm>

namespace bracket::viz {

namespace {

/// Nodes to draw. Empty if there are more leaves than `most_leaves`.
std::vector<TreeNode> nodes_within_limit(const Order& order, const Distribution& distribution,
                                         const TreeFolding& folding, Index most_leaves) {
  std::vector<TreeNode> nodes;
  std::vector<TreeNode> waiting{{order.largest_bracket(0)}};
  Index leaves = 0;
  while (!waiting.empty()) {
    TreeNode node = waiting.back();
    waiting.pop_back();
    node.rank = distribution.owner(node.bracket.begin);
    node.local = distribution.range(node.rank).contains(node.bracket);
    const bool deep = folding.depth && node.depth > *folding.depth;
    const bool fold = deep && (node.local || folding.groups);
    node.split = node.bracket.size() > 1 && !fold;
    if (node.split) {
      const Index middle = order.split(node.bracket);
      node.intersecting = !node.local && distribution.owner(middle) != node.rank;
      const auto parent = static_cast<std::ptrdiff_t>(nodes.size());
      TreeNode right{{middle, node.bracket.end}, node.depth + 1, parent};
      right.outbound = node.intersecting;
      waiting.push_back(right);
      waiting.push_back({{node.bracket.begin, middle}, node.depth + 1, parent});
    } else {
      ++leaves;
    }
    nodes.push_back(node);
    // Every waiting bracket has at least one leaf.
    if (leaves + static_cast<Index>(waiting.size()) > most_leaves) return {};
  }
  return nodes;
}

/// Folds at the largest depth up to `most` that has few enough leaves. No nodes if there is none.
DrawnTree fold_deep(const Order& order, const Distribution& distribution, Index most_leaves,
                    bool groups, std::optional<Index> most) {
  DrawnTree tree;
  // At depth −1, the root itself is folded.
  for (Index depth = groups ? -1 : 0; !most || depth <= *most; ++depth) {
    const TreeFolding folding{depth, groups};
    auto nodes = nodes_within_limit(order, distribution, folding, most_leaves);
    if (nodes.empty()) break;
    tree = {folding, std::move(nodes)};
  }
  return tree;
}

/// Counts the PE-intersecting nodes that are inside each leaf. They are the left partners of the
/// outbound subtree roots of all ranks.
void count_inside(const Order& order, const Distribution& distribution,
                  std::vector<TreeNode>& nodes) {
  std::vector<TreeNode*> leaves;
  for (TreeNode& node : nodes) {
    if (!node.split) leaves.push_back(&node);
  }
  for (const Rank rank : distribution.occupied()) {
    for (const Partial& root : order.outbound(distribution.range(rank))) {
      const Index begin = root.range.begin;
      const auto behind = std::upper_bound(
          leaves.begin(), leaves.end(), begin,
          [](Index element, const TreeNode* leaf) { return element < leaf->bracket.begin; });
      // The elements of a run are roots one by one. A run may be in several leaves.
      const Index end = root.run ? root.range.end : begin + 1;
      for (auto leaf = behind - 1; leaf != leaves.end(); ++leaf) {
        const Range below{(*leaf)->bracket.begin + 1, (*leaf)->bracket.end};
        if (below.begin > end) break;
        const Range common = below.intersection({begin, end});
        if (!common.empty()) (*leaf)->inside += common.size();
      }
    }
  }
}

}  // namespace

DrawnTree drawn_tree(const Order& order, const Distribution& distribution,
                     const TreeDrawing& drawing) {
  const Index most = drawing.most_leaves;
  DrawnTree tree{{drawing.depth, false}, {}};
  tree.nodes = nodes_within_limit(order, distribution, tree.folding, most);
  const auto fold = [&](bool groups, Index leaves) {
    if (!tree.nodes.empty()) return;
    tree = fold_deep(order, distribution, std::max<Index>(leaves, 1), groups, drawing.depth);
  };
  // The labels of folded brackets are wide, those of groups wider.
  if (!drawing.depth) fold(false, most / 2);
  fold(false, most);
  fold(true, drawing.depth ? most : most / 4);
  for (auto node = tree.nodes.rbegin(); node != tree.nodes.rend(); ++node) {
    if (node->parent < 0) continue;
    TreeNode& parent = tree.nodes[static_cast<std::size_t>(node->parent)];
    parent.level = std::max(parent.level, node->level + 1);
  }
  if (tree.folding.groups) count_inside(order, distribution, tree.nodes);
  return tree;
}

}  // namespace bracket::viz
