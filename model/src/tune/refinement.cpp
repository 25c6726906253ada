// SPDX-License-Identifier: MIT

#include "tune/refinement.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tune/balance.hpp"
#include "tune/boundary_search.hpp"

namespace bracket::model {

namespace {

void add_if_better(Evaluations& evaluations, const TuneCandidate& start, const char* how,
                   Distribution held, double seconds) {
  if (seconds >= start.seconds) return;
  std::string derivation = "from " + start.distribution;
  if (!start.derivation.empty()) derivation += ", " + start.derivation;
  evaluations.add(
      {start.order, start.plan, how, std::move(held), false, seconds, std::move(derivation)});
}

/// Costs of a choice over a distribution, step by step.
PaperCost cost_of_steps(const Evaluations& evaluations, const Evaluations::Choice& choice,
                        const Distribution& held) {
  const Schedule schedule = make_schedule(evaluations.problem(choice.order, held), *choice.plan);
  return paper_cost(schedule, evaluations.request().machine);
}

/// Positions of the ranks on the longest path.
std::vector<Index> longest_path(const Evaluations& evaluations, const Evaluations::Choice& choice,
                                const Distribution& held) {
  std::vector<Index> positions;
  for (const CriticalStep& step : cost_of_steps(evaluations, choice, held).critical_path) {
    const Index position = held.position_of(step.rank);
    if (positions.empty() || positions.back() != position) positions.push_back(position);
  }
  return positions;
}

}  // namespace

void balance_shares(Evaluations& evaluations, const Evaluations::Choice& choice) {
  const TuneRequest& request = evaluations.request();
  const BoundaryWindows& windows = evaluations.windows();
  const double element =
      request.machine.seconds_per_element(std::max<Index>(1, request.elements / request.ranks)) *
      static_cast<double>(request.items);
  if (element <= 0) return;
  const TuneCandidate start = evaluations.best(&choice);
  Distribution held = start.held;
  double seconds = start.seconds;
  // Where joins appear and disappear with the boundaries, a smaller move may lead further.
  for (double part = 1; part > 0.1 && !evaluations.spent();) {
    const auto places = balanced_places(
        windows, held, cost_of_steps(evaluations, choice, held).slack, element, part);
    const double before = seconds;
    // A coarser grid would have a boundary's window between two of its points.
    const Index coarsest = windows.highest(1) - windows.lowest(1);
    const int grids = std::bit_width(static_cast<std::uint64_t>(coarsest));
    for (int i = 0; i < grids; ++i) {
      evaluations.push(choice, on_grid(windows, places, Index{1} << i, held));
    }
    while (evaluations.pending() > 0 && !evaluations.spent()) {
      auto evaluated = evaluations.next();
      if (!evaluated) break;
      if (evaluated->seconds >= seconds) continue;
      seconds = evaluated->seconds;
      held = std::move(evaluated->held);
    }
    evaluations.drop();
    if (seconds >= before) part /= 2;
  }
  add_if_better(evaluations, start, "balanced", std::move(held), seconds);
}

void search_boundaries(Evaluations& evaluations) {
  const TuneCandidate start = evaluations.best();
  const Evaluations::Choice& chosen = evaluations.choice_of(start);
  BoundarySearch search(evaluations.windows(), start.held, start.seconds,
                        evaluations.request().seed);
  double followed = std::numeric_limits<double>::infinity();
  bool any_left = true;
  while (!evaluations.spent()) {
    if (search.seconds() < followed) {
      followed = search.seconds();
      search.prefer(longest_path(evaluations, chosen, search.best()));
    }
    // Assume that the pending proposals cost more. If one does not, later proposals are dropped.
    while (any_left && static_cast<Index>(evaluations.pending()) < evaluations.at_once()) {
      const auto proposed = search.propose();
      any_left = proposed.has_value();
      if (any_left) evaluations.push(chosen, *proposed);
    }
    if (evaluations.pending() == 0) break;
    const auto evaluated = evaluations.next();
    if (!evaluated) break;
    if (search.answer(evaluated->seconds)) {
      evaluations.drop();
      any_left = true;
    }
  }
  evaluations.drop();
  add_if_better(evaluations, start, "searched", search.best(), search.seconds());
}

}  // namespace bracket::model
