#include "bracket/viz/tree_dot.hpp"

#include <algorithm>
#include <unordered_map>

#include "bracket/model/tree.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "dot.hpp"
#include "tree_nodes.hpp"

namespace bracket {

namespace {

constexpr const char* outbound_fill = "#bbdefb";
constexpr const char* outbound_ink = "#0d47a1";

std::string id_of(Range bracket) { return text('n', bracket.begin, '_', bracket.end); }

/// Label of a node. A leaf's label is tall rather than wide. An inner node shows the thesis's
/// coordinates if the order is the thesis's tree, otherwise its range.
std::string label_of(const Order& order, const viz::TreeNode& node) {
  const auto [begin, end] = node.bracket;
  if (node.folded()) return text('[', begin, ",\n", end, ")\nn = ", end - begin);
  if (!node.split) return text(begin);
  if (order.chunk_size() != 1) return text(node.bracket);
  return text('(', begin, ',', tree::height(end - begin), ')');
}

/// Layout of the picture: a column for each leaf, a row for each level. A node is above its first
/// element. The line to its right half leads straight up from that half, then diagonally to the
/// node. No line crosses a node or another line.
class TreeLayout {
 public:
  TreeLayout(const Order& order, const Distribution& distribution,
             const std::vector<viz::TreeNode>& nodes) {
    Index widest_inner = 0;
    for (const viz::TreeNode& node : nodes) {
      const std::string label = label_of(order, node);
      if (node.split) {
        // An ellipse around a text is wider than a box.
        widest_inner = std::max(widest_inner, viz::dot::width_of(label) * 13 / 10);
      } else {
        pitch_ = std::max(pitch_, viz::dot::width_of(label) + 8);
        leaf_height_ = std::max(leaf_height_, viz::dot::height_of(label));
        leaves_.push_back(&node);
      }
    }
    // The line beside an inner node must not touch it.
    pitch_ = std::max(pitch_, widest_inner * 6 / 11);
    margin_ = 4 + std::max<Index>(0, widest_inner - pitch_) / 2;
    place_ranks(distribution);
    const Index levels = std::max<Index>(nodes.front().level, 1);
    constexpr Index lowest_row = 40;
    constexpr Index highest_row = 110;
    row_ = std::clamp(right_ / (3 * levels), lowest_row, highest_row);
    const Index top = leaf_height_ / 2 + row_ * nodes.front().level + 24;
    for (RankBox& rank : ranks_) {
      rank.box.low.y = -leaf_height_ / 2 - 42;
      rank.box.high.y = top;
      rank.box.label_y = -leaf_height_ / 2 - 22;
    }
  }

  struct RankBox {
    Rank first = 0;
    std::string label;
    viz::dot::Box box;
  };
  [[nodiscard]] const std::vector<RankBox>& ranks() const { return ranks_; }

  [[nodiscard]] viz::dot::Point of(const viz::TreeNode& node) const {
    const Index above_leaves = node.level == 0 ? 0 : leaf_height_ / 2 - 10;
    return {column_.at(node.bracket.begin), above_leaves + row_ * node.level};
  }

  /// Cubic Bézier curves from the node down to one of its halves.
  [[nodiscard]] std::string way(const viz::TreeNode& from, const viz::TreeNode& to) const {
    const viz::dot::Point start = of(from);
    const viz::dot::Point end = of(to);
    const viz::dot::Point bend{end.x, std::max(start.y - row_, end.y)};
    const auto line_to = [](viz::dot::Point a, viz::dot::Point b) {
      return ' ' + text_of(a) + ' ' + text_of(b) + ' ' + text_of(b);
    };
    return text_of(start) + line_to(start, bend) + line_to(bend, end);
  }

 private:
  void place_ranks(const Distribution& distribution) {
    constexpr Index between = 6;
    auto leaf = leaves_.begin();
    for (Index position = 0; position < distribution.ranks(); ++position) {
      const Rank first = distribution.rank_at(position);
      const Range held = distribution.range(first);
      Rank last = first;
      const auto shares_box = [&](Index next) {
        return held.empty() && next < distribution.ranks() &&
               distribution.rank_at(next) == last + 1 && distribution.range(last + 1).empty();
      };
      for (; shares_box(position + 1); ++position) ++last;
      const auto behind =
          std::find_if(leaf, leaves_.end(), [&](auto* node) { return node->rank != first; });
      const std::string label = viz::dot::rank_label(first, last, held);
      const Index columns = (behind - leaf) * pitch_;
      const Index width = std::max(columns, viz::dot::width_of(label)) + 2 * margin_;
      Index x = right_ + (width - columns + pitch_) / 2;
      for (; leaf != behind; ++leaf, x += pitch_) column_[(*leaf)->bracket.begin] = x;
      ranks_.push_back({first, label, {{right_, 0}, {right_ + width, 0}, 0}});
      right_ += width + between;
    }
  }

  std::vector<const viz::TreeNode*> leaves_;
  std::unordered_map<Index, Index> column_;  ///< x of the leaf that begins at an element
  std::vector<RankBox> ranks_;
  Index pitch_ = 0;   ///< distance between columns
  Index margin_ = 0;  ///< space left and right of the columns of a rank
  Index row_ = 0;     ///< distance between levels
  Index leaf_height_ = 0;
  Index right_ = 0;  ///< right end of the placed leaves
};

viz::dot::Attributes attributes_of(const Order& order, const viz::TreeNode& node) {
  viz::dot::Attributes attributes{{"label", label_of(order, node)},
                                  {"shape", node.split ? "ellipse" : "box"}};
  std::string kind = node.split ? "inner" : node.folded() ? "folded" : "element";
  if (node.folded()) attributes.push_back({"peripheries", "2"});
  if (node.outbound) {
    kind += " outbound";
    attributes.push_back({"color", outbound_ink});
    attributes.push_back({"penwidth", "3"});
    if (!node.intersecting) attributes.push_back({"fillcolor", outbound_fill});
  }
  if (node.intersecting) {
    kind += " intersecting";
    attributes.push_back({"fillcolor", viz::dot::alarm});
    attributes.push_back({"fontcolor", "white"});
  }
  attributes.push_back({"class", kind});
  attributes.push_back({"tooltip", text(node.bracket, " on rank ", node.rank)});
  return attributes;
}

std::vector<viz::dot::LegendEntry> legend_of(const std::vector<viz::TreeNode>& nodes) {
  const auto count =
      std::count_if(nodes.begin(), nodes.end(), [](auto& node) { return node.intersecting; });
  if (count == 0) return {};
  return {{viz::dot::alarm, text("PE-intersecting nodes: ", count)},
          {outbound_ink, text("outbound subtree roots: ", count)}};
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
  const auto nodes = viz::tree_nodes(order, distribution, drawing);
  const TreeLayout layout(order, distribution, nodes);
  const std::vector<std::string> titles{
      text("order ", order.spec(), ", N = ", order.elements(), ", p = ", distribution.ranks())};

  viz::dot::Writer writer("nop2", titles, legend_of(nodes));
  writer.defaults("edge", {{"arrowhead", "none"}});
  for (const auto& [rank, label, box] : layout.ranks()) {
    writer.open_box(rank, label, box);
    for (const viz::TreeNode& node : nodes) {
      if (node.rank != rank) continue;
      writer.node(id_of(node.bracket), layout.of(node), attributes_of(order, node));
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
