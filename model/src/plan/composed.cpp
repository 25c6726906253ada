// SPDX-License-Identifier: MIT

#include "bracket/model/plan.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "plan/staged.hpp"

namespace bracket::model {

namespace {

/// Swaps for the factors of two, rings for odd factors up to the largest for which a ring is
/// worthwhile, elimination for the remaining factor (Rabenseifner and Träff 2004, section 3.6).
class ComposedPlan final : public ExchangePlan {
 public:
  ComposedPlan(Index largest_ring, Index threshold)
      : ExchangePlan(text("composed:", largest_ring), threshold), largest_ring_(largest_ring) {}

 private:
  void run(Exchange& exchange) const override {
    Index left = exchange.positions().size();
    std::vector<Index> radices;
    for (; left % 2 == 0; left /= 2) radices.push_back(2);
    for (Index factor = 3; factor <= largest_ring_ && factor <= left; factor += 2) {
      for (; left % factor == 0; left /= factor) radices.push_back(factor);
    }
    merge_in_stages(exchange, radices);
  }

  Index largest_ring_;
};

// Optimal number of rounds for 3 * 2^n and 9 * 2^n ranks (section 3.4). A ring of five is no faster
// than elimination.
constexpr Index default_largest_ring = 3;

}  // namespace

std::unique_ptr<Plan> make_composed_plan(const Spec& spec) {
  spec.expect_at_most(2);
  return std::make_unique<ComposedPlan>(spec.integer(0, "largest ring", default_largest_ring, 1),
                                        ExchangePlan::threshold_from(spec, 1));
}

}  // namespace bracket::model
