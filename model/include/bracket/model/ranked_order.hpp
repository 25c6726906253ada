// SPDX-License-Identifier: MIT

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bracket/model/order.hpp"

namespace bracket {

/// The order of a sum with one operand on each rank: an explicit order over positions, and the rank
/// whose operand stands at each position. Floating-point addition commutes, so the two operands of
/// an addition have no sequence of their own; here, the one with the lowest rank is on the left.
/// Sums with the same additions have the same ranked order.
struct RankedOrder {
  Order order;
  std::vector<Rank> ranks;

  friend bool operator==(const RankedOrder&, const RankedOrder&) = default;
};

/// The sum as text, with the number of each rank: `((0+1)+2)`.
std::string describe(const RankedOrder& order);

/// The permutation of its ranks as a name: `identity` or `ranks:0:2:1:3`.
std::string rank_order_of(const RankedOrder& order);

/// A permutation as the name of a rank order, which tells the number of ranks: `ranks:0:2:1:3`.
std::string ranks_in_words(const std::vector<Rank>& ranks);

/// Additions over the operands of some ranks, from which a `RankedOrder` is made.
class AdditionTree {
 public:
  using Node = std::size_t;

  Node operand(Rank rank);
  /// The sum of two nodes, each of which is an operand of one addition only.
  Node add(Node left, Node right);
  /// The order of the sum `root`.
  [[nodiscard]] RankedOrder order(Node root) const;

 private:
  struct Sum {
    Rank lowest;       // of its ranks
    Node left, right;  // the node itself for an operand
  };
  std::vector<Sum> sums_;
};

/// Adds one number of each rank in this order; `numbers[r]` is that of rank r.
double sum_in(const RankedOrder& order, const std::vector<double>& numbers);

}  // namespace bracket
