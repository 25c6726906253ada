// SPDX-License-Identifier: MIT

#include "bracket/model/known_orders.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace bracket {

namespace {

using Node = AdditionTree::Node;

/// The order in which `add_all` adds the operands of the ranks from `root` on, cyclically.
template <class AddAll>
RankedOrder order_of(Rank ranks, Rank root, AddAll add_all) {
  AdditionTree tree;
  std::vector<Node> operands;
  for (Rank i = 0; i < ranks; ++i) operands.push_back(tree.operand((root + i) % ranks));
  return tree.order(add_all(tree, operands));
}

Node chain(AdditionTree& tree, const std::vector<Node>& operands) {
  Node sum = operands.front();
  for (std::size_t i = 1; i < operands.size(); ++i) sum = tree.add(sum, operands[i]);
  return sum;
}

/// Neighbours, then neighbours of these sums, and so on; a last one moves up.
Node by_levels(AdditionTree& tree, std::vector<Node> level) {
  while (level.size() > 1) {
    std::vector<Node> above;
    for (std::size_t i = 0; i + 1 < level.size(); i += 2) {
      above.push_back(tree.add(level[i], level[i + 1]));
    }
    if (level.size() % 2 == 1) above.push_back(level.back());
    level = std::move(above);
  }
  return level.front();
}

/// Ranks in excess of a power of two first add to their neighbours.
std::vector<Node> power_of_two(AdditionTree& tree, const std::vector<Node>& operands) {
  const std::size_t power = std::bit_floor(operands.size());
  const std::size_t excess = operands.size() - power;
  std::vector<Node> rest;
  for (std::size_t i = 0; i < excess; ++i) {
    rest.push_back(tree.add(operands[2 * i], operands[2 * i + 1]));
  }
  rest.insert(rest.end(), operands.begin() + static_cast<std::ptrdiff_t>(2 * excess),
              operands.end());
  return rest;
}

std::vector<RankedOrder> doubling_orders(Rank ranks, Rank) {
  return {order_of(ranks, 0, [](AdditionTree& tree, const std::vector<Node>& operands) {
    return by_levels(tree, power_of_two(tree, operands));
  })};
}

std::vector<RankedOrder> halving_orders(Rank ranks, Rank) {
  return {order_of(ranks, 0, [](AdditionTree& tree, const std::vector<Node>& operands) {
    std::vector<Node> level = power_of_two(tree, operands);
    while (level.size() > 1) {
      const std::size_t half = level.size() / 2;
      for (std::size_t i = 0; i < half; ++i) level[i] = tree.add(level[i], level[i + half]);
      level.resize(half);
    }
    return level.front();
  })};
}

std::vector<RankedOrder> binomial_orders(Rank ranks, Rank root) {
  return {order_of(ranks, root, [](AdditionTree& tree, const std::vector<Node>& operands) {
    return by_levels(tree, operands);
  })};
}

/// Numbers of the children of a node.
using Children = std::array<std::size_t, 2> (*)(std::size_t node);

/// Open MPI's tree: the children of node i on level L are i + 2^L and i + 2 · 2^L.
std::array<std::size_t, 2> level_children(std::size_t node) {
  const std::size_t width = std::bit_floor(node + 1);
  return {node + width, node + 2 * width};
}

/// MPICH's tree: a heap.
std::array<std::size_t, 2> heap_children(std::size_t node) { return {2 * node + 1, 2 * node + 2}; }

/// A node adds the sums of its children to its operand, one after the other.
Node binary_sum(AdditionTree& tree, const std::vector<Node>& operands, Children children,
                std::size_t node) {
  Node sum = operands[node];
  for (const std::size_t child : children(node)) {
    if (child < operands.size()) sum = tree.add(sum, binary_sum(tree, operands, children, child));
  }
  return sum;
}

std::vector<RankedOrder> binary_orders(Rank ranks, Rank root) {
  std::vector<RankedOrder> orders;
  for (const Children children : {level_children, heap_children}) {
    orders.push_back(
        order_of(ranks, root, [children](AdditionTree& tree, const std::vector<Node>& operands) {
          return binary_sum(tree, operands, children, 0);
        }));
  }
  return orders;
}

/// The last operand is the root, and the others are halved.
Node in_order_sum(AdditionTree& tree, std::span<const Node> operands) {
  const std::size_t others = operands.size() - 1;
  const std::size_t left = others - others / 2;
  Node sum = operands.back();
  if (others > left) sum = tree.add(in_order_sum(tree, operands.subspan(left, others - left)), sum);
  return left == 0 ? sum : tree.add(in_order_sum(tree, operands.first(left)), sum);
}

std::vector<RankedOrder> in_order_binary_orders(Rank ranks, Rank) {
  return {order_of(ranks, 0, [](AdditionTree& tree, const std::vector<Node>& operands) {
    return in_order_sum(tree, operands);
  })};
}

std::vector<RankedOrder> pipeline_orders(Rank ranks, Rank root) {
  return {order_of(ranks, root, [](AdditionTree& tree, std::vector<Node> operands) {
    std::reverse(operands.begin(), operands.end());
    return chain(tree, operands);
  })};
}

/// The root adds up to 4 chains of nearly equal size, the larger first.
std::vector<RankedOrder> chains_orders(Rank ranks, Rank root) {
  return {order_of(ranks, root, [](AdditionTree& tree, const std::vector<Node>& operands) {
    Node sum = operands.front();
    for (Index i = 0; i < 4; ++i) {
      const Range links = block(static_cast<Index>(operands.size()) - 1, i, 4);
      if (links.empty()) continue;
      const auto first = operands.begin() + 1;
      std::vector<Node> links_back(first + links.begin, first + links.end);
      std::reverse(links_back.begin(), links_back.end());
      sum = tree.add(sum, chain(tree, links_back));
    }
    return sum;
  })};
}

std::vector<RankedOrder> linear_orders(Rank ranks, Rank) {
  const auto down = [](AdditionTree& tree, std::vector<Node> operands) {
    std::reverse(operands.begin(), operands.end());
    return chain(tree, operands);
  };
  return {order_of(ranks, 0, chain), order_of(ranks, 0, down)};
}

std::vector<RankedOrder> ring_orders(Rank ranks, Rank) {
  std::vector<RankedOrder> orders;
  for (Rank first = 0; first < ranks; ++first) orders.push_back(order_of(ranks, first, chain));
  return orders;
}

constexpr KnownOrder known_order_table[] = {
    {{"recursive-doubling", "",
      "neighbours, then pairs of pairs and so on; ranks in excess of a power of two first add to "
      "their neighbours; also Rabenseifner's algorithm if its first exchange is with the neighbour",
      "Thakur, Rabenseifner and Gropp 2005"},
     doubling_orders,
     "butterfly"},
    {{"binomial", "", "a binomial tree from the root on, nearest neighbours first",
      "Thakur, Rabenseifner and Gropp 2005"},
     binomial_orders,
     "binomial"},
    {{"recursive-halving", "",
      "ranks half of all ranks apart, then a quarter and so on: Rabenseifner's reduce-scatter",
      "Rabenseifner 2004"},
     halving_orders,
     "butterfly:1"},
    {{"linear", "", "one after the other, from rank 0 up or from rank p - 1 down",
      "MPI libraries' basic algorithm"},
     linear_orders,
     "gather"},
    {{"pipeline", "", "a chain of ranks that ends at the root", "Open MPI 4.1"},
     pipeline_orders,
     "direct"},
    {{"chains", "", "the root adds the sums of four chains of ranks", "Open MPI 4.1"},
     chains_orders,
     "direct"},
    {{"binary", "", "a tree in which each rank adds the sums of two others",
      "Open MPI 4.1, MPICH 4.0"},
     binary_orders,
     "direct"},
    {{"in-order-binary", "", "a binary tree that keeps the sequence of the ranks", "Open MPI 4.1"},
     in_order_binary_orders,
     "direct"},
    {{"ring", "", "around the ring of ranks; each block of items begins at another rank",
      "Patarasuk and Yuan 2009"},
     ring_orders,
     "ring:1"},
};

}  // namespace

std::span<const KnownOrder> known_orders() { return known_order_table; }

std::vector<const KnownOrder*> recognise(std::span<const RankedOrder> found, Rank root) {
  std::vector<const KnownOrder*> rows;
  const auto ranks = static_cast<Rank>(found.front().ranks.size());
  if (ranks < 2) return rows;
  for (const KnownOrder& row : known_order_table) {
    const auto known = row.orders(ranks, root);
    if (std::all_of(found.begin(), found.end(), [&](const RankedOrder& order) {
          return std::find(known.begin(), known.end(), order) != known.end();
        })) {
      rows.push_back(&row);
    }
  }
  return rows;
}

}  // namespace bracket
