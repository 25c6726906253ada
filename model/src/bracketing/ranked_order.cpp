// SPDX-License-Identifier: MIT

#include "bracket/model/ranked_order.hpp"

#include <algorithm>

#include "bracket/model/explicit_folds.hpp"
#include "bracket/support/text.hpp"

namespace bracket {

namespace {

/// Evaluates an order from the values that `value_at` gives for positions.
template <class Value, class ValueAt, class Join>
Value evaluate(const RankedOrder& order, ValueAt value_at, Join join) {
  std::vector<Value> values;
  for_each_step(
      *order.order.explicit_tree(), {0, order.order.elements()},
      [&](Index position) { values.push_back(value_at(static_cast<std::size_t>(position))); },
      [&](Range, Range) {
        Value right = std::move(values.back());
        values.pop_back();
        values.back() = join(std::move(values.back()), std::move(right));
      });
  return std::move(values.front());
}

}  // namespace

std::string describe(const RankedOrder& order) {
  return evaluate<std::string>(
      order, [&](std::size_t position) { return text(order.ranks[position]); },
      [](const std::string& left, const std::string& right) {
        return text('(', left, '+', right, ')');
      });
}

std::string rank_order_of(const RankedOrder& order) {
  if (std::is_sorted(order.ranks.begin(), order.ranks.end())) return "identity";
  return ranks_in_words(order.ranks);
}

std::string ranks_in_words(const std::vector<Rank>& ranks) {
  std::string words = "ranks";
  for (const Rank rank : ranks) words += text(':', rank);
  return words;
}

double sum_in(const RankedOrder& order, const std::vector<double>& numbers) {
  return evaluate<double>(
      order,
      [&](std::size_t position) {
        return numbers[static_cast<std::size_t>(order.ranks[position])];
      },
      [](double left, double right) { return left + right; });
}

AdditionTree::Node AdditionTree::operand(Rank rank) {
  sums_.push_back({rank, sums_.size(), sums_.size()});
  return sums_.size() - 1;
}

AdditionTree::Node AdditionTree::add(Node left, Node right) {
  if (sums_[right].lowest < sums_[left].lowest) std::swap(left, right);
  sums_.push_back({sums_[left].lowest, left, right});
  return sums_.size() - 1;
}

RankedOrder AdditionTree::order(Node root) const {
  // A right operand that begins at position x is joined to what begins at its left operand.
  struct Waiting {
    Node node;
    Index parent;
  };
  std::vector<Waiting> waiting{{root, -1}};
  std::vector<Index> parents;
  std::vector<Rank> ranks;
  while (!waiting.empty()) {
    auto [node, parent] = waiting.back();
    waiting.pop_back();
    const auto position = static_cast<Index>(ranks.size());
    if (parent >= 0) parents.push_back(parent);
    for (; sums_[node].left != node; node = sums_[node].left) {
      waiting.push_back({sums_[node].right, position});
    }
    ranks.push_back(sums_[node].lowest);
  }
  return {make_order(ExplicitTree(std::move(parents))), std::move(ranks)};
}

}  // namespace bracket
