// SPDX-License-Identifier: MIT

#include "bracket/model/plan.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "plan/owner_computes.hpp"

namespace bracket::model {

namespace {

constexpr Bundling thesis_bundling{.capacity = 4, .flush = 64};

class BufferedPlan final : public Plan {
 public:
  explicit BufferedPlan(Bundling bundling) : bundling_(bundling) {}

  std::string spec() const override {
    return text("buffered:", bundling_.capacity, ':', bundling_.flush);
  }

  void require_for(const Problem& problem) const override { require_fixed(spec(), problem.order); }

  RankPart make_part(const Problem& problem, Rank rank) const override {
    return owner_computes_part(problem, rank, bundling_);
  }

  Index count_messages(const Problem& problem, Rank rank) const override {
    return owner_computes_messages(problem, rank, bundling_);
  }

 private:
  Bundling bundling_;
};

}  // namespace

std::unique_ptr<Plan> make_buffered_plan(const Spec& spec) {
  spec.expect_at_most(2);
  const Index capacity = spec.integer(0, "capacity in values", thesis_bundling.capacity, 1);
  const Index flush = spec.integer(1, "flush size in elements", thesis_bundling.flush, 0);
  return std::make_unique<BufferedPlan>(Bundling{capacity, flush});
}

}  // namespace bracket::model
