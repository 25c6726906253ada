#include "plans/exchange.hpp"
#include "plans/plans.hpp"

namespace bracket {

namespace {

/// Swaps for the factors of two, elimination for the odd factor (Rabenseifner and Träff 2004,
/// section 3.3).
class EliminationPlan final : public AllReducePlan {
 public:
  using AllReducePlan::AllReducePlan;

  RankPart part(const Order& order, const Distribution& distribution, Delivery,
                Rank rank) const override {
    std::vector<Index> radices;
    for (auto left = static_cast<Index>(distribution.occupied().size()); left % 2 == 0; left /= 2) {
      radices.push_back(2);
    }
    return staged_part(order, distribution, rank, radices);
  }
};

}  // namespace

std::unique_ptr<Plan> make_elimination_plan(const Spec& spec) {
  spec.expect_at_most(0);
  return std::make_unique<EliminationPlan>("elimination");
}

}  // namespace bracket
