// SPDX-License-Identifier: MIT

#include "bracket/model/tune.hpp"

namespace bracket {

double plan_score(const Problem& problem, const Plan& plan, const ScoreCosts& costs) {
  return plan_score(problem, count_messages(problem, plan), costs);
}

double plan_score(const Problem& problem, Index messages, const ScoreCosts& costs) {
  const ScoreCosts of_items{costs.send_seconds,
                            costs.add_seconds * static_cast<double>(problem.items)};
  return score(problem.distribution, messages, of_items);
}

}  // namespace bracket
