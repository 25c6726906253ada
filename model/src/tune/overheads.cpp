#include "tune/overheads.hpp"

#include <algorithm>

#include "bracket/model/tune.hpp"

namespace bracket {

Index model::most_messages(const Problem& problem, const Plan& plan) {
  const Rank ranks = problem.distribution.ranks();
  Index most = 0;
  for (const Rank rank : {problem.delivery.root, Rank{0}, ranks / 2, ranks - 1}) {
    const RankPart part = plan.part(problem, rank);
    most = std::max<Index>(most, std::count_if(part.steps().begin(), part.steps().end(),
                                               [](const Step& step) { return step.is_message(); }));
  }
  return most;
}

double overheads(const Problem& problem, const Plan& plan, const Machine& machine) {
  constexpr double rounded_away = 1e-12;  // LogGOPS counts in picoseconds
  const double value = machine.message_bytes(1);
  const double each = std::min(machine.between_nodes().least(value).overhead,
                               machine.within_node().least(value).overhead) -
                      rounded_away;
  return each * static_cast<double>(model::most_messages(problem, plan));
}

}  // namespace bracket
