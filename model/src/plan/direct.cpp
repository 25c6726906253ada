// SPDX-License-Identifier: MIT

#include "bracket/model/plan.hpp"
#include "plan/owner_computes.hpp"

namespace bracket::model {

namespace {

class DirectPlan final : public Plan {
 public:
  std::string spec() const override { return "direct"; }

  void require_for(const Problem& problem) const override { require_fixed(spec(), problem.order); }

  RankPart make_part(const Problem& problem, Rank rank) const override {
    return owner_computes_part(problem, rank, {.capacity = 1});
  }

  Index count_messages(const Problem& problem, Rank rank) const override {
    return owner_computes_messages(problem, rank, {.capacity = 1});
  }
};

}  // namespace

std::unique_ptr<Plan> make_direct_plan(const Spec& spec) {
  spec.expect_at_most(0);
  return std::make_unique<DirectPlan>();
}

}  // namespace bracket::model
