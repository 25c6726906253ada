// SPDX-License-Identifier: MIT

#include "bracket/model/plan.hpp"
#include "plan/staged.hpp"

namespace bracket::model {

namespace {

/// One ring of all ranks (Rabenseifner and Träff 2004, section 3.4).
class RingPlan final : public ExchangePlan {
 public:
  explicit RingPlan(Index threshold) : ExchangePlan("ring", threshold) {}

 private:
  void run(Exchange& exchange) const override {
    std::vector<Index> radices;
    if (const Index size = exchange.positions().size(); size > 1) radices.push_back(size);
    merge_in_stages(exchange, radices);
  }
};

}  // namespace

std::unique_ptr<Plan> make_ring_plan(const Spec& spec) {
  spec.expect_at_most(1);
  return std::make_unique<RingPlan>(ExchangePlan::threshold_from(spec, 0));
}

}  // namespace bracket::model
