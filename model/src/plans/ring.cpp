#include "plans/exchange.hpp"
#include "plans/plans.hpp"

namespace bracket {

namespace {

/// Every rank's frontier goes once around a ring of all ranks.
class RingPlan final : public AllReducePlan {
 public:
  using AllReducePlan::AllReducePlan;

  RankPart part(const Order& order, const Distribution& distribution, Delivery,
                Rank rank) const override {
    const auto occupied = static_cast<Index>(distribution.occupied().size());
    std::vector<Index> radices;
    if (occupied > 1) radices.push_back(occupied);
    return staged_part(order, distribution, rank, radices);
  }
};

}  // namespace

std::unique_ptr<Plan> make_ring_plan(const Spec& spec) {
  spec.expect_at_most(0);
  return std::make_unique<RingPlan>("ring");
}

}  // namespace bracket
