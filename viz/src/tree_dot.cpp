// SPDX-License-Identifier: MIT

#include "bracket/viz/tree_dot.hpp"

#include <algorithm>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "dot.hpp"
#include "tree_layout.hpp"
#include "tree_nodes.hpp"

namespace bracket {

namespace {

constexpr const char* outbound_fill = "#bbdefb";
constexpr const char* outbound_ink = "#0d47a1";
constexpr const char* group_fill = "#ef9a9a";

std::string id_of(Range bracket) { return text('n', bracket.begin, '_', bracket.end); }

viz::dot::Attributes attributes_of(const Order& order, const Distribution& distribution,
                                   const viz::TreeNode& node) {
  viz::dot::Attributes attributes{{"label", label_of(order, distribution, node)},
                                  {"shape", node.split ? "ellipse" : "box"}};
  const bool group = node.folded() && !node.local;
  std::string kind = node.split ? "inner" : node.folded() ? "folded" : "element";
  if (node.folded()) attributes.push_back({"peripheries", "2"});
  if (group) kind += " group";
  if (node.outbound) {
    kind += " outbound";
    attributes.push_back({"color", outbound_ink});
    attributes.push_back({"penwidth", "3"});
    if (!node.intersecting && !group) attributes.push_back({"fillcolor", outbound_fill});
  }
  if (node.intersecting) {
    kind += " intersecting";
    attributes.push_back({"fillcolor", viz::dot::alarm});
    attributes.push_back({"fontcolor", "white"});
  }
  if (group) attributes.push_back({"fillcolor", group_fill});
  attributes.push_back({"class", kind});
  std::string tooltip = text(node.bracket, group ? " from rank " : " on rank ", node.rank);
  if (group) tooltip += text(", PE-intersecting nodes inside: ", node.inside);
  attributes.push_back({"tooltip", tooltip});
  return attributes;
}

std::vector<viz::dot::LegendEntry> legend_of(const std::vector<viz::TreeNode>& nodes) {
  Index drawn = 0;
  Index inside = 0;
  for (const viz::TreeNode& node : nodes) {
    drawn += node.intersecting ? 1 : 0;
    inside += node.inside;
  }
  std::vector<viz::dot::LegendEntry> legend;
  if (drawn > 0) {
    legend.push_back({viz::dot::alarm, text("PE-intersecting nodes: ", drawn)});
    legend.push_back({outbound_ink, text("outbound subtree roots: ", drawn)});
  }
  if (inside > 0) {
    legend.push_back({group_fill, text("PE-intersecting nodes inside folded subtrees: ", inside)});
  }
  return legend;
}

std::vector<std::string> titles_of(const Order& order, const Distribution& distribution,
                                   const TreeDrawing& drawing, const viz::DrawnTree& tree) {
  std::vector<std::string> titles{
      text("order ", order.spec(), ", N = ", order.elements(), ", p = ", distribution.ranks())};
  const auto& [depth, groups] = tree.folding;
  const bool any =
      std::any_of(tree.nodes.begin(), tree.nodes.end(), [](auto& node) { return node.folded(); });
  if (!any) return titles;
  std::string what =
      text("folded (double outline): subtrees ", groups ? "" : "of one rank ", "more than ", *depth,
           *depth == 1 ? " level" : " levels", " below the root");
  if (drawing.depth && (groups || *depth < *drawing.depth)) {
    what += text("; depth ", *drawing.depth, " has more than ", drawing.most_leaves, " leaves");
  }
  titles.push_back(what);
  return titles;
}

}  // namespace

std::string tree_dot(const Order& order, const Distribution& distribution,
                     const TreeDrawing& drawing) {
  if (order.elements() != distribution.elements()) {
    throw Error(text("the order has ", order.elements(), " elements, but the distribution has ",
                     distribution.elements()));
  }
  if (!order.fixed()) {
    throw Error(text("the ", order.spec(), " order has no fixed bracketing, so no tree to draw"));
  }
  if (drawing.depth && *drawing.depth < 0) {
    throw Error(text("depth must be at least 0, not ", *drawing.depth));
  }
  if (drawing.most_leaves < 1) {
    throw Error(text("a picture must have at least 1 leaf, not ", drawing.most_leaves));
  }
  const viz::DrawnTree tree = viz::drawn_tree(order, distribution, drawing);
  const auto& nodes = tree.nodes;
  const viz::TreeLayout layout(order, distribution, tree);
  viz::dot::Writer writer("nop2", titles_of(order, distribution, drawing, tree), legend_of(nodes));
  writer.defaults("edge", {{"arrowhead", "none"}});
  for (const auto& [rank, label, box] : layout.ranks()) {
    writer.open_box(rank, label, box);
    for (const viz::TreeNode& node : nodes) {
      if (node.rank != rank) continue;
      writer.node(id_of(node.bracket), layout.of(node), attributes_of(order, distribution, node));
    }
    writer.close_box();
  }
  for (const viz::TreeNode& node : nodes) {
    if (node.parent < 0) continue;
    const viz::TreeNode& parent = nodes[static_cast<std::size_t>(node.parent)];
    viz::dot::Attributes attributes{{"pos", layout.way(parent, node)}};
    if (node.outbound) {
      attributes.push_back({"style", "dashed"});
      attributes.push_back({"penwidth", "2"});
      attributes.push_back({"color", viz::dot::alarm});
    }
    attributes.push_back({"class", node.outbound ? "between" : "local"});
    writer.edge(id_of(parent.bracket), id_of(node.bracket), attributes);
  }
  return writer.finish();
}

}  // namespace bracket
