#include <bit>

#include "plans/exchange.hpp"
#include "plans/plans.hpp"

namespace bracket {

namespace {

/// Recursive doubling. Where their number is no power of two, the ranks in excess of it give what
/// they have to a neighbour first and get the result in the end.
class ButterflyPlan final : public AllReducePlan {
 public:
  using AllReducePlan::AllReducePlan;

  RankPart part(const Order& order, const Distribution& distribution, Delivery,
                Rank rank) const override {
    Exchange exchange(order, distribution, rank);
    if (const auto at = exchange.position()) run(exchange, *at);
    return exchange.finish();
  }

 private:
  static void run(Exchange& exchange, Index position) {
    const auto size = static_cast<std::uint64_t>(exchange.positions().size());
    const auto active = static_cast<Index>(std::bit_floor(size));
    const Index excess = exchange.positions().size() - active;
    if (position < 2 * excess) {
      if (position % 2 == 1) {
        exchange.give(position - 1);
        exchange.leave_to(position - 1);
        return;
      }
      exchange.take(position + 1, position + 1, position + 2);
      exchange.deliver_to(position + 1);
    }
    const auto place = [&](Index number) { return number < excess ? 2 * number : number + excess; };
    const Index number = position < 2 * excess ? position / 2 : position - excess;
    for (Index distance = 1; distance < active; distance *= 2) {
      const Index other = number ^ distance;
      const Index block = other - other % distance;
      exchange.swap(place(other), place(block), place(block + distance));
    }
  }
};

}  // namespace

std::unique_ptr<Plan> make_butterfly_plan(const Spec& spec) {
  spec.expect_at_most(0);
  return std::make_unique<ButterflyPlan>("butterfly");
}

}  // namespace bracket
