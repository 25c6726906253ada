#include <bit>

#include "plans/delivery.hpp"
#include "plans/frontier_part.hpp"
#include "plans/plans.hpp"
#include "plans/positions.hpp"

namespace bracket {

namespace {

/// Frontiers up a binomial tree: in round z the rank at a position whose z lower bits are clear
/// hears from the one 2^z behind it.
class BinomialPlan final : public Plan {
 public:
  std::string spec() const override { return "binomial"; }

  RankPart part(const Order& order, const Distribution& distribution, Delivery delivery,
                Rank rank) const override {
    const Positions positions(distribution);
    FrontierPart part(order, distribution, rank);
    if (const auto at = positions.of(rank)) {
      for (Index distance = 1; distance < positions.size(); distance *= 2) {
        if ((*at & distance) != 0) {
          part.send(positions.rank(*at - distance));
          break;
        }
        const Index behind = *at + distance;
        if (behind >= positions.size()) continue;
        const Index end = std::min(behind + distance, positions.size());
        part.recv(positions.rank(behind), positions.elements(behind, end));
      }
    }
    append_delivery(part.part(), distribution, delivery, positions.rank(0), rank);
    return std::move(part.part());
  }
};

}  // namespace

std::unique_ptr<Plan> make_binomial_plan(const Spec& spec) {
  spec.expect_at_most(0);
  return std::make_unique<BinomialPlan>();
}

}  // namespace bracket
