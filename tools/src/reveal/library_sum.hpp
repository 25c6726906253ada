// SPDX-License-Identifier: MIT

#pragma once

#include <span>
#include <vector>

#include "bracket/runtime/communicator.hpp"
#include "common/sum_collective.hpp"

namespace bracket::tools {

/// The MPI library's sum of one vector of float64 on each rank, item by item.
class LibrarySum {
 public:
  /// `root` is the rank that gets the result of a reduce. Collective.
  LibrarySum(const Communicator& world, SumCollective collective, Rank root, Index items);

  [[nodiscard]] Index items() const { return static_cast<Index>(results_.size()); }

  /// Sums the vectors of all ranks, each of which has `items()` numbers. Collective.
  void run(std::span<const double> operands);

  /// Items of the latest result that this rank has, in `results()`.
  [[nodiscard]] Range delivered() const { return delivered_; }
  [[nodiscard]] std::span<const double> results() const { return results_; }

  /// The rank whose result of `item` is revealed: of an all-reduce rank 0, of a reduce the root, of
  /// a reduce-scatter the rank that gets the item, and of a scan the last rank.
  [[nodiscard]] Rank viewer(Index item) const;

  /// Whether each rank has the sum of the ranks up to itself.
  [[nodiscard]] bool of_prefixes() const { return collective_ == SumCollective::scan; }

  /// Gives every rank the results of the viewers. Collective.
  void share_views(std::vector<double>& views) const;

 private:
  const Communicator& world_;
  SumCollective collective_;
  Rank root_;
  std::vector<int> counts_;  // of a reduce-scatter: items of each rank
  std::vector<int> begins_;
  Range delivered_;
  std::vector<double> results_;  // of all items
};

}  // namespace bracket::tools
