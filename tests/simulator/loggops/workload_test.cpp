// SPDX-License-Identifier: MIT

#include "bracket/simulator/workload.hpp"

#include "bracket/model/plan.hpp"
#include "simulator/by_hand.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

namespace workload_test {

using namespace bracket;
using Catch::Contains;
using testing::add_message;
using testing::by_hand;

using Kind = Workload::Kind;

TEST_CASE("a workload is the same of a schedule and of its plan") {
  for (const char* plan : {"direct", "buffered", "aggregated", "butterfly"}) {
    const auto order = make_order("tree", 1000);
    const auto distribution = make_distribution("upper", 1000, 13);
    const Problem problem{order, distribution, Delivery::to(2)};
    const Machine machine;
    const Workload of_plan(problem, *make_plan(plan), machine);
    const Workload of_schedule(make_schedule(problem, *make_plan(plan)), machine);
    REQUIRE(of_plan.operations().size() == of_schedule.operations().size());
    for (std::size_t i = 0; i < of_plan.operations().size(); ++i) {
      const auto& left = of_plan.operations()[i];
      const auto& right = of_schedule.operations()[i];
      CHECK(left.amount == right.amount);
      CHECK(left.kind() == right.kind());
      CHECK(left.peer == right.peer);
      CHECK(left.partner == right.partner);
      if (left.kind() == Kind::send) {
        CHECK(of_plan.operations()[left.partner].partner == i);
        CHECK(of_plan.operations()[left.partner].kind() == Kind::recv);
      }
    }
  }
}

TEST_CASE("a workload is the same from any number of threads") {
  testing::property("threads", [] {
    // Several blocks of ranks, the last of which is shorter.
    const auto distribution = *testing::any_distribution(9000, 6000);
    const auto order = make_order("tree", distribution.elements());
    const Problem problem{order, distribution,
                          *rc::gen::element(Delivery::to(0), Delivery::to_all())};
    const auto plan = make_plan(*rc::gen::element("direct", "buffered", "binomial", "aggregated"));
    Machine machine;
    machine.work = MeasuredWork{{3e-9, {{1, 1e-9}, {100, 100e-9}}}, 5e-9};
    machine.cache_bytes = *rc::gen::inRange(8, 64);
    const Disturbance noise{.noise = RandomQuantity::parse("uniform:0.5:1")};
    const Workload alone(problem, *plan, machine, noise);
    const Workload shared(problem, *plan, machine, noise, {}, *rc::gen::inRange(2, 9));
    CHECK(shared.leaves_caches() == alone.leaves_caches());
    REQUIRE(shared.ranks() == alone.ranks());
    REQUIRE(shared.operations().size() == alone.operations().size());
    for (Rank rank = 0; rank <= alone.ranks(); ++rank) {
      REQUIRE(shared.first(rank) == alone.first(rank));
    }
    for (std::size_t i = 0; i < alone.operations().size(); ++i) {
      const auto& left = alone.operations()[i];
      const auto& right = shared.operations()[i];
      REQUIRE(left.amount == right.amount);
      REQUIRE(left.kind() == right.kind());
      REQUIRE(left.peer == right.peer);
      REQUIRE(left.partner == right.partner);
    }
  });
}

TEST_CASE("a workload refuses messages that do not fit") {
  const Machine machine;
  Schedule schedule = by_hand(3);
  add_message(schedule, 0, 1);
  Schedule unreceived = schedule;
  unreceived.parts[1] = RankPart();
  CHECK_THROWS_WITH(Workload(unreceived, machine),
                    Contains("rank 0 sends a message to rank 1, which does not receive it"));
  Schedule unsent = schedule;
  unsent.parts[0] = RankPart();
  CHECK_THROWS_WITH(Workload(unsent, machine),
                    Contains("rank 1 receives a message from rank 0, which does not send it"));
  Schedule longer = schedule;
  const std::vector<Partial> two{Range{0, 1}, Range{1, 2}};
  longer.parts[0] = RankPart();
  longer.parts[0].send(1, two);
  CHECK_THROWS_WITH(Workload(longer, machine), Contains("16 bytes to rank 1, which expects 8"));
  Schedule beyond = schedule;
  add_message(schedule, 2, 1);
  beyond.parts[2].send(3, two);
  CHECK_THROWS_WITH(Workload(beyond, machine), Contains("rank 2 sends to 3"));
}

}  // namespace workload_test
