// SPDX-License-Identifier: MIT

#include "tree_layout.hpp"

#include <algorithm>

#include "bracket/model/tree.hpp"
#include "bracket/support/text.hpp"

namespace bracket::viz {

namespace {

/// The ranks at positions `first` to `last`, in words.
std::string ranks_of(const Distribution& distribution, Index first, Index last) {
  Rank lowest = distribution.rank_at(first);
  Rank highest = lowest;
  for (Index position = first + 1; position <= last; ++position) {
    lowest = std::min(lowest, distribution.rank_at(position));
    highest = std::max(highest, distribution.rank_at(position));
  }
  if (lowest == highest) return text("rank ", lowest);
  if (highest - lowest == last - first) return text("ranks ", lowest, " to ", highest);
  return text(last - first + 1, " ranks");
}

/// With a line for each number.
std::string narrow(std::string words) {
  if (const auto to = words.find(" to "); to != std::string::npos) words[to] = '\n';
  return words;
}

Range held(const Distribution& distribution, Index position) {
  return distribution.range(distribution.rank_at(position));
}

}  // namespace

std::string label_of(const Order& order, const Distribution& distribution, const TreeNode& node) {
  const auto [begin, end] = node.bracket;
  if (node.folded()) {
    const std::string label = text('[', begin, ",\n", end, ")\nn = ", end - begin);
    if (node.local) return label;
    const auto position = [&](Index element) {
      return distribution.position_of(distribution.owner(element));
    };
    return narrow(ranks_of(distribution, position(begin), position(end - 1))) + '\n' + label +
           '\n' + text(node.inside, " inside");
  }
  if (!node.split) return text(begin);
  if (order.chunk_size() != 1 || order.explicit_tree() != nullptr) return text(node.bracket);
  return text('(', begin, ',', tree::height(end - begin), ')');
}

TreeLayout::TreeLayout(const Order& order, const Distribution& distribution,
                       const DrawnTree& tree) {
  Index widest_inner = 0;
  for (const TreeNode& node : tree.nodes) {
    const std::string label = label_of(order, distribution, node);
    if (node.split) {
      // An ellipse around a text is wider than a box.
      widest_inner = std::max(widest_inner, dot::width_of(label) * 13 / 10);
    } else {
      pitch_ = std::max(pitch_, dot::width_of(label) + 8);
      leaf_height_ = std::max(leaf_height_, dot::height_of(label));
      leaves_.push_back(&node);
    }
  }
  // The line beside an inner node must not touch it.
  pitch_ = std::max(pitch_, widest_inner * 6 / 11);
  margin_ = 4 + std::max<Index>(0, widest_inner - pitch_) / 2;
  place_ranks(distribution, tree.folding.groups);
  const TreeNode& root = tree.nodes.front();
  const Index levels = std::max<Index>(root.level, 1);
  constexpr Index lowest_row = 40;
  constexpr Index highest_row = 110;
  row_ = std::clamp(right_ / (3 * levels), lowest_row, highest_row);
  const Index top = leaf_height_ / 2 + row_ * root.level + 24;
  for (RankBox& rank : ranks_) {
    rank.box.low.y = -leaf_height_ / 2 - 42;
    rank.box.high.y = top;
    rank.box.label_y = -leaf_height_ / 2 - 22;
  }
}

dot::Point TreeLayout::of(const TreeNode& node) const {
  const Index above_leaves = node.level == 0 ? 0 : leaf_height_ / 2 - 10;
  return {column_.at(node.bracket.begin), above_leaves + row_ * node.level};
}

std::string TreeLayout::way(const TreeNode& from, const TreeNode& to) const {
  const dot::Point start = of(from);
  const dot::Point end = of(to);
  const dot::Point bend{end.x, std::max(start.y - row_, end.y)};
  const auto line_to = [](dot::Point a, dot::Point b) {
    return ' ' + text_of(a) + ' ' + text_of(b) + ' ' + text_of(b);
  };
  return text_of(start) + line_to(start, bend) + line_to(bend, end);
}

void TreeLayout::place_ranks(const Distribution& distribution, bool groups) {
  constexpr Index between = 6;
  auto leaf = leaves_.begin();
  for (Index position = 0; position < distribution.ranks(); ++position) {
    const Index first = position;
    const Rank rank = distribution.rank_at(first);
    const auto behind =
        std::find_if(leaf, leaves_.end(), [&](auto* node) { return node->rank != rank; });
    const auto shares_box = [&](Index next) {
      if (next == distribution.ranks()) return false;
      // Without leaves of its own, a rank's elements are in the leaves before.
      if (groups && behind != leaf) {
        return behind == leaves_.end() || distribution.rank_at(next) != (*behind)->rank;
      }
      return held(distribution, first).empty() && held(distribution, next).empty();
    };
    while (shares_box(position + 1)) ++position;
    const Range elements{held(distribution, first).begin, held(distribution, position).end};
    std::string label = ranks_of(distribution, first, position);
    // The leaves of groups tell their elements.
    label = groups ? narrow(label)
                   : label + '\n' + (elements.empty() ? std::string("empty") : text(elements));
    const Index columns = (behind - leaf) * pitch_;
    const Index width = std::max(columns, dot::width_of(label)) + 2 * margin_;
    Index x = right_ + (width - columns + pitch_) / 2;
    for (; leaf != behind; ++leaf, x += pitch_) column_[(*leaf)->bracket.begin] = x;
    ranks_.push_back({rank, label, {{right_, 0}, {right_ + width, 0}, 0}});
    right_ += width + between;
  }
}

}  // namespace bracket::viz
