// SPDX-License-Identifier: MIT

#pragma once

#include <memory>
#include <vector>

#include "bracket/model/plan.hpp"
#include "bracket/support/error.hpp"

namespace bracket::testing {

/// All plans, without parameters, that make a schedule of the problem.
inline std::vector<std::unique_ptr<Plan>> fitting_plans(const Problem& problem) {
  std::vector<std::unique_ptr<Plan>> fitting;
  for (const PlanEntry& row : plans()) {
    auto plan = make_plan(row.entry.name);
    if (!plan->scheduled()) continue;
    try {
      check_fit(problem, *plan);
    } catch (const Error&) {
      continue;
    }
    fitting.push_back(std::move(plan));
  }
  return fitting;
}

}  // namespace bracket::testing
