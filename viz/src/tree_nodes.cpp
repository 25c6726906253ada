#include "tree_nodes.hpp"

#include <algorithm>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::viz {

namespace {

/// Nodes to draw. Empty if there are more leaves than `drawing` allows.
std::vector<TreeNode> nodes_within_limit(const Order& order, const Distribution& distribution,
                                         const TreeDrawing& drawing) {
  std::vector<TreeNode> nodes;
  std::vector<TreeNode> waiting{{order.largest_bracket(0)}};
  Index leaves = 0;
  while (!waiting.empty()) {
    TreeNode node = waiting.back();
    waiting.pop_back();
    node.rank = distribution.owner(node.bracket.begin);
    const bool local = distribution.range(node.rank).contains(node.bracket);
    const bool fold = local && drawing.depth && node.depth > *drawing.depth;
    node.split = node.bracket.size() > 1 && !fold;
    if (node.split) {
      const Index middle = order.split(node.bracket);
      node.intersecting = !local && distribution.owner(middle) != node.rank;
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
    if (leaves + static_cast<Index>(waiting.size()) > drawing.most_leaves) return {};
  }
  return nodes;
}

[[noreturn]] void refuse(const Order& order, const Distribution& distribution,
                         const TreeDrawing& drawing) {
  const auto leaves_at = [&](Index depth) {
    const auto nodes = nodes_within_limit(order, distribution, {depth, drawing.most_leaves});
    return std::count_if(nodes.begin(), nodes.end(), [](auto& node) { return !node.split; });
  };
  std::string message =
      drawing.depth ? text("the tree folded below level ", *drawing.depth, " has more leaves than ")
                    : text("the tree has ", order.elements(), " leaves, more than ");
  message += text("the ", drawing.most_leaves, " that one picture may have");
  Index depth = 0;
  Index leaves = leaves_at(depth);
  if (leaves == 0) {
    throw Error(message + "; even --depth 0 has more: draw fewer ranks or fewer elements");
  }
  while (const Index deeper = leaves_at(depth + 1)) {
    leaves = deeper;
    ++depth;
  }
  throw Error(text(message, ": --depth ", depth, " folds it to ", leaves));
}

}  // namespace

std::vector<TreeNode> tree_nodes(const Order& order, const Distribution& distribution,
                                 const TreeDrawing& drawing) {
  auto nodes = nodes_within_limit(order, distribution, drawing);
  if (nodes.empty()) refuse(order, distribution, drawing);
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    if (node->parent < 0) continue;
    TreeNode& parent = nodes[static_cast<std::size_t>(node->parent)];
    parent.level = std::max(parent.level, node->level + 1);
  }
  return nodes;
}

}  // namespace bracket::viz
