#include "plans/owner_computes.hpp"
#include "plans/plans.hpp"

namespace bracket {

namespace {

class DirectPlan final : public Plan {
 public:
  std::string spec() const override { return "direct"; }

  void require(const Order& order, Delivery) const override { require_fixed(spec(), order); }

  RankPart part(const Order& order, const Distribution& distribution, Delivery delivery,
                Rank rank) const override {
    return owner_computes_part(order, distribution, delivery, rank, {.capacity = 1});
  }
};

}  // namespace

std::unique_ptr<Plan> make_direct_plan(const Spec& spec) {
  spec.expect_at_most(0);
  return std::make_unique<DirectPlan>();
}

}  // namespace bracket
