// SPDX-License-Identifier: MIT

#include "bracket/model/plan.hpp"
#include "plan/exchange.hpp"

namespace bracket::model {

namespace {

/// Every rank collects the frontiers of all others, twice as many in each round. That takes ⌈log2
/// p⌉ rounds, the minimum, for any number of ranks, powers of two or not: the frontier of a range
/// of ranks that wraps around the end is no longer than any other.
class DisseminationPlan final : public Plan {
 public:
  std::string spec() const override { return "dissemination"; }

  RankPart make_part(const Problem& problem, Rank rank) const override {
    Exchange exchange(problem, rank, problem.items);
    if (exchange.position() && exchange.positions().size() > 1) exchange.disseminate();
    return exchange.finish();
  }
};

}  // namespace

std::unique_ptr<Plan> make_dissemination_plan(const Spec& spec) {
  spec.expect_at_most(0);
  return std::make_unique<DisseminationPlan>();
}

}  // namespace bracket::model
