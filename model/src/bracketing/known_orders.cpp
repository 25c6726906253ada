#include "bracket/model/known_orders.hpp"

#include <algorithm>
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
     "aggregated:1"},
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
