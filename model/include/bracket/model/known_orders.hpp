// SPDX-License-Identifier: MIT

#pragma once

#include <span>
#include <vector>

#include "bracket/model/ranked_order.hpp"
#include "bracket/model/spec.hpp"

namespace bracket {

/// A row of the table of orders in which libraries are known to sum.
struct KnownOrder {
  CatalogueEntry entry;
  /// The orders of p ≥ 2 ranks that the algorithm has, of different items or implementations, with
  /// the result at `root`.
  std::vector<RankedOrder> (*orders)(Rank ranks, Rank root);
  const char* plan;  ///< sends the messages of the algorithm if each rank has one element
};

/// Every known order by name. An algorithm is known by its order alone: several have the same.
std::span<const KnownOrder> known_orders();

/// The rows that have all these orders, in the sequence of the table. `found` has at least one.
std::vector<const KnownOrder*> recognise(std::span<const RankedOrder> found, Rank root);

}  // namespace bracket
