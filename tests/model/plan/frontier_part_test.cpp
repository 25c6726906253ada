// SPDX-License-Identifier: MIT

#include "plan/frontier_part.hpp"

#include <thread>

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

/// Makes a part while its thread ends, after the objects of the thread that are younger.
struct PartAtEnd {
  RankPart* part = nullptr;
  const Problem* problem = nullptr;

  ~PartAtEnd() {
    if (part == nullptr) return;
    for (int i = 0; i < 2; ++i) *part = make_plan("binomial")->part(*problem, 0);
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
  const Order order = make_order("tree", 100);
  const Distribution distribution = upper_distribution(100, 3);
  const Problem problem{order, distribution, Delivery::to(1)};
  model::FrontierPart outer(problem, 1);
  model::FrontierPart inner(problem, 1);
  const RankPart of_inner = middle_of_three(inner, distribution);
  CHECK(middle_of_three(outer, distribution) == of_inner);
}

TEST_CASE("a part can be made after another one failed") {
  const Order order = make_order("tree", 100);
  const Distribution distribution = upper_distribution(100, 3);
  const Problem problem{order, distribution, Delivery::to(0)};
  const auto plan = make_plan("binomial");
  const RankPart expected = plan->part(problem, 0);
  const auto fail = [&] {
    model::FrontierPart part(problem, 0);
    part.part().add(StepKind::join, -1, {});
  };
  CHECK_THROWS_AS(fail(), Error);
  CHECK(plan->part(problem, 0) == expected);
}

TEST_CASE("a part can be made while its thread ends") {
  const Order order = make_order("tree", 100);
  const Distribution distribution = upper_distribution(100, 3);
  const Problem problem{order, distribution, Delivery::to(0)};
  const auto plan = make_plan("binomial");
  const RankPart expected = plan->part(problem, 0);
  RankPart made;
  std::thread([&] {
    thread_local PartAtEnd at_end;  // older than what parts keep, and so destroyed after it
    at_end.part = &made;
    at_end.problem = &problem;
    CHECK(plan->part(problem, 0) == expected);
  }).join();
  CHECK(made == expected);
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

}  // namespace frontier_part_test
