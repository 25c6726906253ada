#include "plan/exchange.hpp"
#include "plan/plans.hpp"

namespace bracket {

namespace {

/// Every rank collects, doubling what it has from round to round, the frontiers of all others:
/// ⌈log2 p⌉ rounds for any number of ranks, the least possible, which needs no power of two because
/// the frontier of a range of ranks that comes around the end is no longer than any other.
class DisseminationPlan final : public Plan {
 public:
  std::string spec() const override { return "dissemination"; }

  RankPart part(const Problem& problem, Rank rank) const override {
    Exchange exchange(problem, rank, problem.items);
    if (exchange.position() && exchange.positions().size() > 1) exchange.disseminate();
    return exchange.finish();
  }
};

}  // namespace

std::unique_ptr<Plan> make_dissemination_plan(const Spec& spec) {
  spec.expect_at_most(0);
  return std::make_unique<DisseminationPlan>();
}

}  // namespace bracket
