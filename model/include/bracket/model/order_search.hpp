// SPDX-License-Identifier: MIT

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "bracket/model/ranked_order.hpp"

namespace bracket {

/// Finds the order in which a sum of float64 adds the operands of `n` ranks, from the results of a
/// few sums alone (Xie, Gao, Du and Xue, "FPRev: Revealing the Order of Floating-Point Summation",
/// arXiv 2411.00442). In a *probe*, one operand is M, another −M and each other 1, where M + n
/// rounds to M. The ones that are added before M and −M meet are lost, so the result is the number
/// of operands outside the smallest subtree with both.
///
/// One operand of a set, the pivot, is probed with each other of the set. The sizes of the subtrees
/// give the path from the pivot to the root of the set and the set of operands that joins the path
/// at each addition. The search continues in each of these. It takes n − 1 to n(n − 1)/2 probes:
/// (n/2) log2 n for the tree. A seed draws the pivots, so that about 2n suffice for a sum from left
/// to right or from right to left.
class OrderSearch {
 public:
  /// The large number M of a probe.
  static constexpr double large = 0x1p120;

  struct Probe {
    Rank plus;   ///< rank with the operand M
    Rank minus;  ///< rank with −M
    /// The operand of `rank`.
    [[nodiscard]] double operand(Rank rank) const {
      return rank == plus ? large : rank == minus ? -large : 1;
    }
    friend bool operator==(const Probe&, const Probe&) = default;
  };

  /// Searches for the order of `n` ≥ 1 operands.
  explicit OrderSearch(Rank n, std::uint64_t seed = 1);

  /// The next probe. Empty if the order is known or cannot be.
  [[nodiscard]] std::optional<Probe> next() const;

  /// Takes the result of the next probe.
  void tell(double result);

  /// Returns whether a tree of additions explains all results so far. Each addition takes two
  /// operands and rounds to float64. If no tree does, the search has ended.
  [[nodiscard]] bool consistent() const { return consistent_; }

  /// Probes so far.
  [[nodiscard]] Index probes() const { return probes_; }

  /// The order, if the search has ended and is consistent.
  [[nodiscard]] RankedOrder order() const;

 private:
  /// A set of operands that is a subtree.
  struct Subtree {
    std::vector<Rank> ranks;          // the pivot is the first
    std::vector<std::size_t> joined;  // subtrees that join the pivot's path, in sequence
  };

  void close();
  void draw_pivot(std::vector<Rank>& ranks);

  Rank n_;
  std::uint64_t random_;
  bool consistent_ = true;
  Index probes_ = 0;
  std::vector<Subtree> subtrees_;
  std::vector<std::size_t> waiting_;  // to be searched; the last is searched now
  std::vector<Index> sizes_;          // of the subtrees of the pivot and each other operand so far
};

/// Reveals the order of the sum of `n` operands that `sum` computes. Empty if no tree of additions
/// explains the results.
std::optional<RankedOrder> reveal_order(
    Rank n, const std::function<double(std::span<const double> operands)>& sum,
    std::uint64_t seed = 1);

}  // namespace bracket
