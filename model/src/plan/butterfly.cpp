// SPDX-License-Identifier: MIT

#include <bit>

#include "bracket/model/plan.hpp"
#include "plan/exchange.hpp"

namespace bracket::model {

namespace {

/// Recursive doubling or halving. If the number of ranks is not a power of two, each rank in excess
/// of it first sends its frontier to a neighbour, and gets the result at the end.
class ButterflyPlan final : public ExchangePlan {
 public:
  explicit ButterflyPlan(Index threshold) : ExchangePlan("butterfly", threshold) {}

 private:
  void run(Exchange& exchange) const override {
    const Index position = *exchange.position();
    const Index size = exchange.positions().size();
    const auto active = static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(size)));
    const Index excess = size - active;
    if (position < 2 * excess) {
      if (position % 2 == 1) {
        exchange.leave_to(position - 1);
        return;
      }
      exchange.absorb(position + 1, {position + 1, position + 2});
    }
    const auto place = [&](Index number) { return number < excess ? 2 * number : number + excess; };
    const Index number = position < 2 * excess ? position / 2 : position - excess;
    for (Index distance = 1; distance < active; distance *= 2) {
      const Index other = number ^ distance;
      const Index block = other - other % distance;
      exchange.swap(place(other), {place(block), place(block + distance)});
    }
  }
};

}  // namespace

std::unique_ptr<Plan> make_butterfly_plan(const Spec& spec) {
  spec.expect_at_most(1);
  return std::make_unique<ButterflyPlan>(ExchangePlan::threshold_from(spec, 0));
}

}  // namespace bracket::model
