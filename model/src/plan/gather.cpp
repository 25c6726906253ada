// SPDX-License-Identifier: MIT

#include "bracket/model/plan.hpp"
#include "bracket/support/error.hpp"
#include "plan/delivery.hpp"

namespace bracket::model {

namespace {

/// Every element is sent to the root, which folds all of them.
class GatherPlan final : public Plan {
 public:
  std::string spec() const override { return "gather"; }

  RankPart make_part(const Problem& problem, Rank rank) const override {
    const Distribution& distribution = problem.distribution;
    const Rank root = problem.delivery.root;
    RankPart part(problem.items);
    const auto elements_of = [&](Rank other) { return Partial::run_of(distribution.range(other)); };
    if (rank == root) {
      for (const Rank other : distribution.occupied()) {
        if (other != rank) part.recv(other, {{elements_of(other)}});
      }
      // A single received element is its own value and needs no fold.
      const Range all{0, distribution.elements()};
      if (all.size() > 1 || distribution.owner(0) == rank) part.fold(all);
    } else if (const Partial mine = elements_of(rank); !mine.range.empty()) {
      if (!mine.run) part.fold(mine.range);
      part.send(root, {{mine}});
    }
    append_delivery(part, problem, root, rank);
    return part;
  }
};

}  // namespace

std::unique_ptr<Plan> make_gather_plan(const Spec& spec) {
  spec.expect_at_most(0);
  return std::make_unique<GatherPlan>();
}

}  // namespace bracket::model
