// SPDX-License-Identifier: MIT

#pragma once

#include "bracket/model/loggp.hpp"
#include "bracket/model/tune.hpp"

/// Objectives that a tuning may minimise.
namespace bracket::testing {

inline Objective by_score(const ScoreCosts& costs = {}) {
  return [costs](const Problem& problem, const Plan& plan) {
    return plan_score(problem, plan, costs);
  };
}

inline Objective by_paper_cost() {
  return [](const Problem& problem, const Plan& plan) {
    return paper_cost(make_schedule(problem, plan), Machine{}).makespan;
  };
}

}  // namespace bracket::testing
