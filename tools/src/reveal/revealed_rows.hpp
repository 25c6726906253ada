#pragma once

#include <string>
#include <vector>

#include "bracket/model/schedule.hpp"
#include "reveal/item_orders.hpp"

namespace bracket::tools {

/// The sum whose orders were revealed.
struct RevealedSum {
  Rank ranks = 1;
  SumCollective collective = SumCollective::all_reduce;
  Rank root = 0;
  std::string library;
};

/// Prints a row for each vector length, or JSON lines.
void print_rows(const RevealedSum& sum, const std::vector<ItemOrders>& sizes, bool json);

/// Returns the schedule of the algorithm that has these orders, with an element on each rank. If
/// items have several orders, each item is a sum of its own, so that the schedule is for a sum with
/// any order; its messages are those of the algorithm. Throws `Error` if the algorithm is not
/// known.
Schedule schedule_of(const RevealedSum& sum, const ItemOrders& found);

}  // namespace bracket::tools
