// SPDX-License-Identifier: MIT

#pragma once

#include <string>
#include <vector>

#include "bracket/model/plan.hpp"
#include "bracket/model/schedule.hpp"

namespace bracket::testing {

/// A schedule without steps: one element for each rank. The simulator asks only for the steps.
inline Schedule by_hand(Rank ranks) {
  return {{"tree", 1, "", lower_distribution(ranks, ranks), {}},
          std::vector<RankPart>(static_cast<std::size_t>(ranks))};
}

/// One message of one value from rank `from` to rank `to`, appended to both parts.
inline void add_message(Schedule& schedule, Rank from, Rank to) {
  const std::vector<Partial> value{Range{from, from + 1}};
  schedule.parts[static_cast<std::size_t>(from)].send(to, value);
  schedule.parts[static_cast<std::size_t>(to)].recv(from, value);
}

/// Schedule of the tree order by the plan `plan`.
inline Schedule tree_schedule(const Distribution& distribution, const std::string& plan,
                              Delivery delivery = {}, Index items = 1) {
  return make_schedule(make_order("tree", distribution.elements()), distribution, *make_plan(plan),
                       delivery, items);
}

}  // namespace bracket::testing
