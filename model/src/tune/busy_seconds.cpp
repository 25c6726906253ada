// SPDX-License-Identifier: MIT

#include <algorithm>
#include <array>

#include "bracket/model/tune.hpp"
#include "bracket/model/work.hpp"
#include "tune/most_messages.hpp"

namespace bracket {

namespace {

/// Ranks that are likely to have the most to do, some of them perhaps twice.
std::array<Rank, 4> few_ranks(const Problem& problem) {
  const Rank ranks = problem.distribution.ranks();
  return {problem.delivery.root, 0, ranks / 2, ranks - 1};
}

double busy_seconds_of(const RankPart& part, const RankWork& work, const Machine& machine) {
  constexpr double rounded_away = 1e-12;  // LogGOPS counts in picoseconds
  const double value = machine.message_bytes(1);
  const double message = std::min(machine.between_nodes().least(value).overhead,
                                  machine.within_node().least(value).overhead);
  double seconds = 0;
  for (const Step& step : part.steps()) {
    seconds += work(step) + (step.is_message() ? message : 0) - rounded_away;
  }
  return seconds;
}

}  // namespace

Index model::most_messages(const Problem& problem, const Plan& plan) {
  Index most = 0;
  for (const Rank rank : few_ranks(problem)) {
    const RankPart part = plan.part(problem, rank);
    most = std::max<Index>(most, std::count_if(part.steps().begin(), part.steps().end(),
                                               [](const Step& step) { return step.is_message(); }));
  }
  return most;
}

double busy_seconds(const Problem& problem, const Plan& plan, const Machine& machine) {
  double most = 0;
  for (const Rank rank : few_ranks(problem)) {
    const RankPart part = plan.part(problem, rank);
    // As if no other rank of its node folded.
    const RankWork work(machine, part, problem.distribution.range(rank));
    most = std::max(most, busy_seconds_of(part, work, machine));
  }
  return most;
}

}  // namespace bracket
