// SPDX-License-Identifier: MIT

#include "plan/frontier_part.hpp"

#include <memory>
#include <thread>
#include <vector>

#include "bracket/support/error.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

namespace frontier_part_test {

using namespace bracket;

namespace {

/// A part made where no other was made before.
RankPart on_a_new_thread(const Problem& problem, const Plan& plan, Rank rank) {
  RankPart part;
  std::thread([&] { part = plan.part(problem, rank); }).join();
  return part;
}

/// A reduction of 100 elements on three ranks.
struct Reduction {
  Order order = make_order("tree", 100);
  Distribution distribution = upper_distribution(100, 3);
  Problem problem{order, distribution, Delivery::to(0)};
  std::unique_ptr<Plan> plan = make_plan("binomial");

  [[nodiscard]] RankPart part() const { return plan->part(problem, 0); }
};

/// The part of rank 1, which joins the elements of both others to its own.
RankPart middle_of_three(model::FrontierPart& part, const Distribution& distribution) {
  const Range left = distribution.range(0);
  const Range right = distribution.range(2);
  part.recv(0, {{left}});
  const Range covered = part.join(left, part.own());
  part.recv(2, {{right}});
  part.join(covered, right);
  return part.finished();
}

/// Makes two parts while its thread ends, when younger objects of the thread are destroyed.
struct PartsAtEnd {
  const Reduction* reduction = nullptr;
  std::vector<RankPart>* parts = nullptr;

  ~PartsAtEnd() {
    if (reduction == nullptr) return;
    for (int i = 0; i < 2; ++i) parts->push_back(reduction->part());
  }
};

}  // namespace

TEST_CASE("a part does not depend on those that its thread made before") {
  testing::property("sequence", [] {
    const Distribution distribution = *testing::any_distribution(200, 20);
    for (int i = 0; i < 10; ++i) {
      const Order order = make_order(*rc::gen::element("tree", "chunked-tree:3", "sequential"),
                                     distribution.elements());
      const auto plan = make_plan(*rc::gen::element("binomial", "aggregated:3", "butterfly",
                                                    "butterfly:1", "elimination", "ring:1"));
      const Index items = *rc::gen::inRange<Index>(1, 9);
      const Rank rank = *rc::gen::inRange<Rank>(0, distribution.ranks());
      const Problem problem{order, distribution, Delivery::to(0), items};
      RC_ASSERT(plan->part(problem, rank) == on_a_new_thread(problem, *plan, rank));
    }
  });
}

TEST_CASE("parts that are made at the same time do not share memory") {
  const Reduction reduction;
  model::FrontierPart outer(reduction.problem, 1);
  model::FrontierPart inner(reduction.problem, 1);
  const RankPart of_inner = middle_of_three(inner, reduction.distribution);
  CHECK(middle_of_three(outer, reduction.distribution) == of_inner);
}

TEST_CASE("a part can be made after another one failed") {
  const Reduction reduction;
  const RankPart expected = reduction.part();
  const auto fail = [&] {
    model::FrontierPart part(reduction.problem, 0);
    part.part().add(StepKind::join, -1, {});
  };
  CHECK_THROWS_AS(fail(), Error);
  CHECK(reduction.part() == expected);
}

TEST_CASE("a part can be made while its thread ends") {
  const Reduction reduction;
  const RankPart expected = reduction.part();
  std::vector<RankPart> made;
  std::thread([&] {
    thread_local PartsAtEnd at_end;  // older than what parts keep, and so destroyed after it
    at_end.reduction = &reduction;
    at_end.parts = &made;
    made.push_back(reduction.part());
  }).join();
  CHECK(made == std::vector<RankPart>(3, expected));
}

TEST_CASE("a finished part has no memory to spare") {
  const Order order = make_order("tree", 1000);
  const Distribution distribution = upper_distribution(1000, 7);
  for (const char* const plan : {"binomial", "aggregated", "butterfly"}) {
    CAPTURE(plan);
    const RankPart part = make_plan(plan)->part({order, distribution, Delivery::to(0)}, 0);
    CHECK(part.steps().capacity() == part.steps().size());
    CHECK(part.operands().capacity() == part.operands().size());
  }
}

TEST_CASE("a thread keeps the memory of a part unless it is large") {
  const Reduction reduction;
  const auto kept_after = [&](int sends) {
    {
      model::FrontierPart part(reduction.problem, 1);
      for (int i = 0; i < sends; ++i) part.send(0, {{part.own()}});
    }
    model::FrontierPart next(reduction.problem, 1);
    return next.part().steps().capacity();
  };
  CHECK(kept_after(100) >= 100);
  CHECK(kept_after(100'000) < 10'000);
}

}  // namespace frontier_part_test
