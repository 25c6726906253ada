// SPDX-License-Identifier: MIT

#pragma once

#include <rapidcheck.h>

#include <string>
#include <vector>

#include "bracket/model/plan.hpp"
#include "bracket/support/error.hpp"
#include "support/generators.hpp"

namespace bracket::testing {

/// A random schedule, by any plan that supports the delivery.
inline Schedule any_schedule(Index most_elements = 500, Rank most_ranks = 12) {
  const auto distribution = *any_distribution(most_elements, most_ranks);
  const auto order =
      make_order(*rc::gen::element<std::string>("tree", "chunked-tree:3", "sequential"),
                 distribution.elements());
  const Delivery delivery = *any_delivery(*rc::gen::inRange<Rank>(0, distribution.ranks()));
  const Problem problem{order, distribution, delivery, *rc::gen::element<Index>(1, 2000)};
  std::vector<std::string> fitting;
  for (const auto& row : plans()) {
    const std::string name(row.entry.name);
    try {
      const auto plan = make_plan(name);
      check_scheduled(*plan);
      check_fit(problem, *plan);
      fitting.push_back(name);
    } catch (const Error&) {
    }
  }
  return make_schedule(problem, *make_plan(*rc::gen::elementOf(fitting)));
}

}  // namespace bracket::testing
