// SPDX-License-Identifier: MIT

#include "bracket/model/plan.hpp"
#include "plan/staged.hpp"

namespace bracket::model {

namespace {

/// Swaps for the factors of two, elimination for the odd factor (Rabenseifner and Träff 2004,
/// section 3.3).
class EliminationPlan final : public ExchangePlan {
 public:
  explicit EliminationPlan(Index threshold) : ExchangePlan("elimination", threshold) {}

 private:
  void run(Exchange& exchange) const override {
    std::vector<Index> radices;
    for (Index left = exchange.positions().size(); left % 2 == 0; left /= 2) radices.push_back(2);
    merge_in_stages(exchange, radices);
  }
};

}  // namespace

std::unique_ptr<Plan> make_elimination_plan(const Spec& spec) {
  spec.expect_at_most(1);
  return std::make_unique<EliminationPlan>(ExchangePlan::threshold_from(spec, 0));
}

}  // namespace bracket::model
