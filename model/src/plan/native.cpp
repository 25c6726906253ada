// SPDX-License-Identifier: MIT

#include "bracket/model/plan.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::model {

namespace {

/// The MPI library's own all-reduce. Joining frontiers is associative: whichever ranks the library
/// combines first, the bits are those of the order, as long as it keeps the ranks in order.
class NativePlan final : public Plan {
 public:
  std::string spec() const override { return "native"; }

  bool scheduled() const override { return false; }

  void require_for(const Problem& problem) const override {
    const Order& order = problem.order;
    if (problem.delivery.collective != Collective::all_reduce) {
      throw Error("the plan native leaves the result on every rank: ask for that (--all)");
    }
    if (problem.items > 1) {
      throw Error(
          text("the plan native reduces numbers, not vectors of ", problem.items, " items"));
    }
    if (order.fixed() && order.elements() > 1 && order.chunk_size() >= order.elements()) {
      throw Error(text("the plan native makes no sense for the order ", order.spec(), " over ",
                       order.elements(),
                       " elements: it is one chunk from left to right, so that a frontier is the "
                       "elements themselves"));
    }
  }

  RankPart make_part(const Problem&, Rank) const override {
    check_scheduled(*this);
    return {};
  }
};

}  // namespace

std::unique_ptr<Plan> make_native_plan(const Spec& spec) {
  spec.expect_at_most(0);
  return std::make_unique<NativePlan>();
}

}  // namespace bracket::model
