// SPDX-License-Identifier: MIT

#include <bit>

#include "bracket/model/plan.hpp"
#include "plan/delivery.hpp"
#include "plan/frontier_part.hpp"
#include "plan/positions.hpp"

namespace bracket::model {

namespace {

/// Frontiers up a binomial tree. In round z, a rank whose position has z low zero bits receives
/// from the rank 2^z positions behind it.
class BinomialPlan final : public Plan {
 public:
  std::string spec() const override { return "binomial"; }

  RankPart make_part(const Problem& problem, Rank rank) const override {
    const Positions positions(problem);
    FrontierPart part(problem, rank);
    Range covered = part.own();
    if (const auto at = positions.of(rank)) {
      for (Index distance = 1; distance < positions.size(); distance *= 2) {
        if ((*at & distance) != 0) {
          part.send(positions.rank(*at - distance), {{covered}});
          break;
        }
        const Index behind = *at + distance;
        if (behind >= positions.size()) continue;
        const Index end = std::min(behind + distance, positions.size());
        const Range theirs = positions.elements({behind, end});
        part.recv(positions.rank(behind), {{theirs}});
        covered = part.join(covered, theirs);
      }
    }
    append_delivery(part.part(), problem, positions.rank(0), rank);
    return part.finished();
  }
};

}  // namespace

std::unique_ptr<Plan> make_binomial_plan(const Spec& spec) {
  spec.expect_at_most(0);
  return std::make_unique<BinomialPlan>();
}

}  // namespace bracket::model
