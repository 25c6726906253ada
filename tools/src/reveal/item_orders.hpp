// SPDX-License-Identifier: MIT

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bracket/model/order_search.hpp"
#include "reveal/library_sum.hpp"

namespace bracket::tools {

/// Items that are summed in the same order.
struct ItemClass {
  std::vector<Index> items;          ///< ascending
  std::optional<RankedOrder> order;  ///< empty if no tree of additions explains the results
};

/// The orders that a library's collective has for vectors of one length.
struct ItemOrders {
  Index items = 1;
  std::vector<ItemClass> classes;  ///< by first item
  bool varies_by_run = false;
  bool varies_by_rank = false;
  Index probes = 0;       ///< calls of the collective that the searches made
  Index calls = 0;        ///< all calls: those of the searches and of the random sums
  bool compared = false;  ///< with another search or with random sums

  [[nodiscard]] bool varies_by_item() const { return classes.size() > 1; }
  /// Whether each item has one order.
  [[nodiscard]] bool known() const;
  /// Whether the other has the same orders, of any items.
  [[nodiscard]] bool same_orders(const ItemOrders& other) const;
  /// The class of `item`.
  [[nodiscard]] const ItemClass& of(Index item) const;
};

/// How thoroughly orders are revealed.
struct RevealEffort {
  int searches = 2;  ///< times that each order is searched for, with other probes
  int checks = 10;   ///< random sums that are compared with the order found
  Index seed = 1;
  std::function<void(const std::string&)> progress = [](const std::string&) {};
};

/// Reveals the orders of all items. Each item has a search of its own, so that one call of the
/// collective is a probe of every item. Items share a search as long as their results are equal.
/// All ranks get the same orders. Collective.
ItemOrders reveal_items(const Communicator& world, LibrarySum& sum, const RevealEffort& effort);

}  // namespace bracket::tools
